.PHONY: demo check cluster generate
demo:
	python3 dev.py demo
check:
	python3 dev.py check
cluster:
	python3 dev.py check --cluster local
generate:
	python3 dev.py generate
