// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Finds and loads libcmmjni and what it needs. */
final class NativeLibrary {
    private static final String JNI = "libcmmjni.so";
    private static final String[] FILES = {"libcmm.so.0", "libcmm_sim.so", JNI};
    private static final String RESOURCES = "native/linux-x86_64/";

    private NativeLibrary() {
    }

    static void load() {
        String os = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (!os.equals("Linux amd64"))
            throw new UnsatisfiedLinkError(
                "cmm has native libraries for Linux amd64 alone; this is " + os);
        try {
            load(find());
        } catch (IOException e) {
            throw new UncheckedIOException(
                "cmm's native libraries could not be unpacked; name a folder that has"
                    + " them by -Dcmm.library.path, or a writable one by -Dcmm.cache",
                e);
        }
    }

    private static Path find() throws IOException {
        String folder = System.getProperty("cmm.library.path");
        if (folder != null)
            return Path.of(folder, JNI).toAbsolutePath();
        for (String each : System.getProperty("java.library.path", "").split(":")) {
            Path library = Path.of(each, JNI).toAbsolutePath();
            if (!each.isEmpty() && Files.isRegularFile(library))
                return library;
        }
        return unpack().resolve(JNI);
    }

    /**
     * A library can be in one class loader only: another one takes a copy of its own, over the
     * same libcmm.
     */
    private static void load(Path library) throws IOException {
        try {
            System.load(library.toString());
        } catch (UnsatisfiedLinkError e) {
            if (e.getMessage() == null || !e.getMessage().contains("another classloader"))
                throw e;
            Path folder = newFolder(cache());
            try {
                System.load(Files.copy(library, folder.resolve(JNI)).toString());
            } finally {
                remove(folder);
            }
        }
    }

    /**
     * The folder with this jar's libraries: named by what they hold, so that versions live side by
     * side.
     */
    private static Path unpack() throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (String name : FILES)
            files.put(name, resource(name));
        Path cache = cache();
        Path folder = cache.resolve(hash(files));
        if (isWhole(folder, files))
            return folder;
        remove(folder);
        Path made = newFolder(cache);
        for (Map.Entry<String, byte[]> file : files.entrySet())
            Files.write(made.resolve(file.getKey()), file.getValue());
        try {
            Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) { // another process was first
            remove(made);
            if (!isWhole(folder, files))
                throw e;
        }
        return folder;
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = NativeLibrary.class.getResourceAsStream(RESOURCES + name)) {
            if (in == null)
                throw new UnsatisfiedLinkError("the jar holds no " + name +
                                               "; name a folder that does by -Dcmm.library.path");
            return in.readAllBytes();
        }
    }

    private static String hash(Map<String, byte[]> files) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            files.values().forEach(digest::update);
            return HexFormat.of().formatHex(digest.digest(), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    private static boolean isWhole(Path folder, Map<String, byte[]> files) throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path there = folder.resolve(file.getKey());
            if (!Files.isRegularFile(there, LinkOption.NOFOLLOW_LINKS) ||
                Files.size(there) != file.getValue().length)
                return false;
        }
        return true;
    }

    /** Where libraries are unpacked; nobody else may write there. */
    private static Path cache() throws IOException {
        String named = System.getProperty("cmm.cache");
        String xdg = System.getenv("XDG_CACHE_HOME");
        Path base = named != null ? Path.of(named)
                    : xdg != null && !xdg.isEmpty()
                        ? Path.of(xdg, "cmm")
                        : Path.of(System.getProperty("user.home"), ".cache", "cmm");
        Path cache = base.toAbsolutePath().resolve("java");
        try {
            Files.createDirectories(cache.getParent());
            if (!Files.isDirectory(cache, LinkOption.NOFOLLOW_LINKS))
                Files.createDirectory(cache, PosixFilePermissions.asFileAttribute(
                                                 PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            if (named == null && !Files.isDirectory(cache))
                return newFolder(
                    Path.of(System.getProperty("java.io.tmpdir"))); // no home to write to
            if (!Files.isDirectory(cache))
                throw e;
        }
        if (!PosixFilePermissions.toString(Files.getPosixFilePermissions(cache))
                 .equals("rwx------"))
            throw new IOException(cache + " is open to others; it must have the mode 0700");
        return cache;
    }

    private static Path newFolder(Path in) throws IOException {
        return Files.createTempDirectory(
            in, "new-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static void remove(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
            return;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator)
                Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
    }
}
