// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClassLoaderTest {
    private static URL[] classPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator))
            urls.add(Path.of(each).toUri().toURL());
        return urls.toArray(new URL[0]);
    }

    /** Uses cmm in a class loader of its own, and lets all of it go. */
    private static WeakReference<ClassLoader> use() throws Exception {
        try (var loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Class<?> resource = loader.loadClass("io.github.cmm.ManagedMemoryResource");
            assertNotSame(ManagedMemoryResource.class, resource);
            Object made = resource.getConstructor().newInstance();
            Object buffer = resource.getMethod("allocate", long.class).invoke(made, 4096L);
            Object bytes =
                loader.loadClass("io.github.cmm.Buffer").getMethod("size").invoke(buffer);
            assertEquals(4096L, bytes);
            return new WeakReference<>(loader);
        }
    }

    @Test
    void anotherClassLoaderWorksAndMayGo() throws Exception {
        assertEquals(Driver.isSimulated(), Driver.isSimulated());
        var gone = new ArrayList<WeakReference<ClassLoader>>();
        for (int i = 0; i < 3; i++)
            gone.add(use());
        assertTrue(Eventually.collected(() -> gone.stream().allMatch(each -> each.get() == null)));
        assertTrue(Device.count() > 0);
    }
}
