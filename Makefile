.PHONY: demo check cluster generate build lowest lock
demo check generate build lowest lock:
	python3 dev.py $@
cluster:
	python3 dev.py check --cluster local
