// SPDX-License-Identifier: Apache-2.0
package io.github.cmm;

import java.util.ArrayList;
import java.util.List;

/** Programs that ProcessTest runs in processes of their own. */
final class Programs {
    private Programs() {
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
        case "unclosed" -> unclosed(Integer.parseInt(args[1]));
        case "held" -> held(Integer.parseInt(args[1]));
        case "exit" -> exitWithWorkInFlight(Integer.parseInt(args[1]));
        case "views" -> exitWithViews();
        case "loaded" -> System.out.println(Device.count() + " " + Driver.isSimulated());
        default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** Nobody closes them: the collector must, also when the driver runs out of memory first. */
    private static void unclosed(int count) {
        var resource = ManagedMemoryResource.create();
        long sum = 0;
        for (int i = 0; i < count; i++)
            sum += resource.allocate(65536).size();
        System.out.println("allocated " + sum);
    }

    /** They are all reachable: the driver runs out of memory. */
    private static void held(int count) {
        var resource = ManagedMemoryResource.create();
        List<ManagedBuffer> buffers = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++)
                buffers.add(resource.allocate(65536));
            System.out.println("all were allocated");
        } catch (OutOfMemoryException e) {
            System.out.println("out of memory after " + buffers.size() + ": " +
                               e.codeName().orElse("no code"));
        }
    }

    private static void exitWithWorkInFlight(int status) {
        var resource = ManagedMemoryResource.create();
        var stream = Stream.create();
        List<ManagedBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 64; i++)
            buffers.add(resource.allocate(1 << 20));
        for (int i = 0; i < 20; i++)
            Ops.prefetch(buffers, i % 2 == 0 ? Device.of(0) : Host.any(), stream);
        var worker = new Thread(() -> {
            while (true)
                Ops.prefetch(buffers, Host.any(), stream);
        });
        worker.setDaemon(true);
        worker.start();
        buffers.get(0).close();
        System.exit(status);
    }

    private static void exitWithViews() {
        var buffer = ManagedMemoryResource.create().allocate(1 << 20);
        var view = buffer.asByteBuffer();
        var owned = Buffer.fromHandle(buffer.address(), 16, new Object());
        buffer.close();
        view.put(0, (byte) 1);
        System.out.println(owned.size() + view.get(0));
    }
}
