"""Certificates for the tests, made once per run with the openssl command."""

import base64
import subprocess
from pathlib import Path


def openssl(folder: Path, *args: str) -> None:
    subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)


def make(folder: Path) -> Path:
    """ca, server (localhost, 127.0.0.1, cluster.example), expired server, alice and bob (clients), and a foreign ca."""
    for ca in ("ca", "foreign"):
        openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", f"{ca}.key", "-out", f"{ca}.crt", "-days", "30", "-subj", f"/CN={ca}")  # fmt: skip
    names = "subjectAltName=DNS:localhost,DNS:cluster.example,IP:127.0.0.1"
    sign(folder, "server", names, "-days", "30")
    sign(folder, "expired", names, "-not_before", "20200101000000Z", "-not_after", "20200102000000Z")
    for client in ("alice", "bob"):
        sign(folder, client, "extendedKeyUsage=clientAuth", "-days", "30")
    (folder / "server.pem").write_bytes((folder / "server.crt").read_bytes() + (folder / "server.key").read_bytes())
    return folder


def sign(folder: Path, name: str, extension: str, *validity: str) -> None:
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")  # fmt: skip
    (folder / f"{name}.ext").write_text(extension)
    if validity[0] == "-days":
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", f"{name}.crt", "-extfile", f"{name}.ext", *validity)  # fmt: skip
        return
    (folder / "index.txt").write_text("")
    (folder / "ca.cnf").write_text(
        "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial.txt\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n"
        "rand_serial=yes\n[p]\ncommonName=supplied\n"
    )
    start, end = validity[1].removeprefix("20"), validity[3].removeprefix("20")
    openssl(folder, "ca", "-batch", "-config", "ca.cnf", "-in", f"{name}.csr", "-cert", "ca.crt", "-keyfile", "ca.key",
            "-out", f"{name}.crt", "-extfile", f"{name}.ext", "-startdate", start, "-enddate", end)  # fmt: skip


def inline(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
