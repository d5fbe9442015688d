// SPDX-License-Identifier: Apache-2.0
// An image in tiles of managed memory: the tiles that a viewer looks at go to the device as one batch, and come
// back when it looks elsewhere. Prints what the driver was asked; ends with 1 where a tile came back changed.
using System;
using System.Collections.Generic;
using Cmm;

internal static class ImageTiles
{
    private const int Side = 64, Columns = 16, Rows = 8;

    private static byte Shade(int column, int row) => (byte)(column * 11 + row * 7);

    private static int Main()
    {
        Console.WriteLine("on {0}{1}", new Device(0).Name, Driver.IsSimulated ? " (simulated)" : "");
        using (var arena = ManagedMemoryResource.Arena())
        using (var stream = new Stream())
        {
            var sizes = new ulong[Columns * Rows];
            for (var i = 0; i < sizes.Length; ++i)
                sizes[i] = Side * Side;
            var tiles = arena.AllocateBatch(sizes);
            for (var i = 0; i < tiles.Length; ++i)
                tiles[i].AsSpan().Fill(Shade(i % Columns, i / Columns));

            var seen = new List<ManagedBuffer>();
            for (var row = 2; row < 6; ++row)
                for (var column = 4; column < 12; ++column)
                    seen.Add(tiles[row * Columns + column]);
            var there = Ops.Prefetch(seen, new Device(0), stream);
            Console.WriteLine("{0} tiles to the device in {1} ranges ({2}: {3})", there.RangesIn, there.RangesOut, there.Entry, there.Reason);
            var back = Ops.Prefetch(seen, new Host(), stream);
            stream.Synchronize();
            Console.WriteLine("{0} tiles back in {1} ranges", back.RangesIn, back.RangesOut);

            for (var i = 0; i < tiles.Length; ++i)
                foreach (var pixel in tiles[i].AsSpan())
                    if (pixel != Shade(i % Columns, i / Columns))
                        return 1;
            foreach (var tile in tiles)
                tile.Dispose();
            return 0;
        }
    }
}
