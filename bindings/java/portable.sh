#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# portable.sh FOLDER [BUILD]: makes a folder that runs the tests and the benchmark on a machine that has a GPU but
# neither a JDK nor Maven: FOLDER/test.sh and FOLDER/bench.sh there. BUILD is the CMake build folder.
set -eu

[ $# -ge 1 ] || {
    echo "usage: portable.sh FOLDER [BUILD]" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
to=$(cd "$1" && pwd)
build=$(cd "${2:-$here/../../build}" && pwd)
console=org.junit.platform:junit-platform-console-standalone:1.14.4

maven() { mvn -B -q -f "$here/pom.xml" -Pbench "-Dcmm.build=$build" "$@"; }

rm -rf "${to:?}"/*
mkdir "$to/jars" "$to/lib"
maven test-compile
maven org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies "-DoutputDirectory=$to/jars" \
    -DexcludeGroupIds=org.junit.jupiter,org.junit.platform,org.opentest4j,org.apiguardian
maven org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy "-Dartifact=$console" "-DoutputDirectory=$to/jars"
cp -r "$build/java/classes" "$build/java/test-classes" "$to/"
cp -L "$build"/lib/libcmm.so.0 "$build"/lib/libcmm_sim.so "$build"/lib/libcmmj*.so "$to/lib/"
ln "$to/lib/libcmm_sim.so" "$to/lib/libcmm_sim.so.0"
jlink --add-modules java.base,java.compiler,java.logging,java.management,java.xml,jdk.unsupported \
    --strip-debug --no-header-files --no-man-pages --compress=2 --output "$to/jre"

cat >"$to/test.sh" <<'TEXT'
#!/bin/sh
# Every test class in a JVM of its own, on the driver that CMM_DRIVER names, else the real one.
cd "$(dirname "$0")" || exit
status=0
for class in test-classes/io/github/cmm/*Test.class; do
    name=$(basename "$class" .class)
    echo "== $name"
    jre/bin/java -Xcheck:jni -Dcmm.library.path="$PWD/lib" -Dcmm.jar.classes="$PWD/classes" \
        -cp "$PWD/classes:$PWD/test-classes:$PWD/jars/*" org.junit.platform.console.ConsoleLauncher execute \
        -c "io.github.cmm.$name" --details=summary --disable-banner --fail-if-no-tests || status=1
done
[ $status = 0 ] && echo "all test classes passed"
exit $status
TEXT
cat >"$to/bench.sh" <<'TEXT'
#!/bin/sh
cd "$(dirname "$0")" || exit
exec jre/bin/java -Dcmm.library.path="$PWD/lib" -cp "$PWD/classes:$PWD/test-classes:$PWD/jars/*" \
    io.github.cmm.BenchMain
TEXT
chmod +x "$to/test.sh" "$to/bench.sh"
du -sh "$to"
