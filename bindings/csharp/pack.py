# SPDX-License-Identifier: Apache-2.0
"""Packs Cmm.VERSION.nupkg from the build, on machines without a .NET SDK.

usage: pack.py BUILD OUT        the package into the folder OUT
       pack.py --check PACKAGE  asserts its layout
"""

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = (ROOT / "VERSION").read_text().strip()
NATIVE = {"libcmmcs.so": "csharp/libcmmcs.so", "libcmm.so.0": "lib/libcmm.so.0", "libcmm_sim.so": "lib/libcmm_sim.so"}
NUSPEC = f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>Cmm</id>
    <version>{VERSION}</version>
    <authors>The cmm developers</authors>
    <license type="expression">Apache-2.0</license>
    <description>CUDA managed memory: advise, prefetch, discard, batched copies; one binary for CUDA 11.8 to 13.x</description>
    <dependencies>
      <group targetFramework=".NETStandard2.0">
        <dependency id="System.Memory" version="4.5.5" exclude="Build,Analyzers" />
      </group>
    </dependencies>
  </metadata>
</package>
"""
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
  <Default Extension="dll" ContentType="application/octet" />
  <Default Extension="xml" ContentType="application/octet" />
  <Default Extension="so" ContentType="application/octet" />
  <Default Extension="0" ContentType="application/octet" />
</Types>
"""
RELATIONSHIPS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Cmm.nuspec" Id="R1" />
</Relationships>
"""


def entries(build: Path) -> dict[str, bytes]:
    out = {
        "Cmm.nuspec": NUSPEC.encode(),
        "[Content_Types].xml": TYPES.encode(),
        "_rels/.rels": RELATIONSHIPS.encode(),
        "lib/netstandard2.0/Cmm.dll": (build / "csharp/Cmm.dll").read_bytes(),
        "lib/netstandard2.0/Cmm.xml": (build / "csharp/Cmm.xml").read_bytes(),
    }
    for name, path in NATIVE.items():
        out[f"runtimes/linux-x64/native/{name}"] = (build / path).read_bytes()
    return out


def pack(build: Path, out: Path) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    package = out / f"Cmm.{VERSION}.nupkg"
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in entries(build).items():
            z.writestr(name, content)
    return package


def check(package: Path) -> None:
    with zipfile.ZipFile(package) as z:
        assert z.testzip() is None
        names = set(z.namelist())
        wanted = {"Cmm.nuspec", "lib/netstandard2.0/Cmm.dll", "lib/netstandard2.0/Cmm.xml"}
        wanted |= {f"runtimes/linux-x64/native/{name}" for name in NATIVE}
        assert wanted <= names, wanted - names
        nuspec = z.read("Cmm.nuspec").decode()
        assert f"<version>{VERSION}</version>" in nuspec
        assert 'group targetFramework=".NETStandard2.0"' in nuspec
        for name in NATIVE:
            assert z.read(f"runtimes/linux-x64/native/{name}")[:4] == b"\x7fELF", name
        assert z.read("lib/netstandard2.0/Cmm.dll")[:2] == b"MZ"


def main() -> None:
    if sys.argv[1] == "--check":
        check(Path(sys.argv[2]))
        return
    package = pack(Path(sys.argv[1]), Path(sys.argv[2]))
    check(package)
    print(package)


if __name__ == "__main__":
    main()
