// SPDX-License-Identifier: Apache-2.0
using System;

namespace Cmm
{
    /// <summary>The kinds of location, with the driver's values.</summary>
    public enum LocationKind
    {
        /// <summary>A device, by its ordinal.</summary>
        Device = 1,
        /// <summary>Any memory of the host.</summary>
        Host = 2,
        /// <summary>One NUMA node of the host.</summary>
        HostNuma = 3,
        /// <summary>The NUMA node of the calling thread.</summary>
        HostNumaCurrent = 4
    }

    /// <summary>
    /// Where managed memory can live: a small value, equal by content and ordered by kind and id.
    /// <c>default(Location)</c> is no location, and every operation refuses it.
    /// </summary>
    public readonly struct Location : IEquatable<Location>, IComparable<Location>
    {
        private Location(LocationKind kind, int id)
        {
            Kind = kind;
            Id = id;
        }

        /// <summary>The kind.</summary>
        public LocationKind Kind { get; }
        /// <summary>The device's ordinal or the node's number; 0 where the kind has none.</summary>
        public int Id { get; }
        /// <summary>Whether it is a device.</summary>
        public bool IsDevice => Kind == LocationKind.Device;

        /// <summary>Of a kind and an id.</summary>
        /// <exception cref="ArgumentException">The kind is none of the four, or the id is negative.</exception>
        public static Location Of(LocationKind kind, int id = 0)
        {
            if (kind < LocationKind.Device || kind > LocationKind.HostNumaCurrent)
                throw new CmmArgumentException("location: kind: " + (int)kind + " is no kind of location; allowed are 1 (device) to 4 (host_numa_current)", "kind", null, null);
            var numbered = kind == LocationKind.Device || kind == LocationKind.HostNuma;
            if (numbered && id < 0)
                throw new CmmArgumentException("location: id: " + id + " is no ordinal; allowed are 0 to 2147483647", "id", null, null);
            return new Location(kind, numbered ? id : 0);
        }

        /// <summary>A device is a location.</summary>
        public static implicit operator Location(Device device) => new Location(LocationKind.Device, device.Ordinal);
        /// <summary>A place on the host is a location.</summary>
        public static implicit operator Location(Host host) => new Location(host.Kind, host.Node);

        /// <inheritdoc/>
        public bool Equals(Location other) => Kind == other.Kind && Id == other.Id;
        /// <inheritdoc/>
        public override bool Equals(object obj)
        {
            if (obj is Location)
                return Equals((Location)obj);
            if (obj is Device)
                return Equals((Location)(Device)obj);
            return obj is Host && Equals((Location)(Host)obj);
        }
        /// <inheritdoc/>
        public override int GetHashCode() => ((int)Kind << 28) ^ Id;
        /// <inheritdoc/>
        public int CompareTo(Location other) => Kind != other.Kind ? Kind.CompareTo(other.Kind) : Id.CompareTo(other.Id);
        /// <summary>Equal by content.</summary>
        public static bool operator ==(Location a, Location b) => a.Equals(b);
        /// <summary>Not equal by content.</summary>
        public static bool operator !=(Location a, Location b) => !a.Equals(b);

        /// <summary>"device:0", "host", "host_numa:1" or "host_numa_current".</summary>
        public override string ToString()
        {
            switch (Kind)
            {
                case LocationKind.Device: return "device:" + Id;
                case LocationKind.Host: return "host";
                case LocationKind.HostNuma: return "host_numa:" + Id;
                case LocationKind.HostNumaCurrent: return "host_numa_current";
                default: return "no location";
            }
        }

        internal long Code => ((long)Kind << 32) | (uint)Id;
        internal static Location? FromCode(long code) =>
            code >> 32 == 0 ? (Location?)null : new Location((LocationKind)(code >> 32), (int)(code & 0xffffffff));
    }

    /// <summary>A CUDA device, by its ordinal.</summary>
    public readonly struct Device : IEquatable<Device>
    {
        /// <exception cref="ArgumentException">The ordinal is negative.</exception>
        public Device(int ordinal)
        {
            if (ordinal < 0)
                throw new CmmArgumentException("location: device: " + ordinal + " is no ordinal; allowed are 0 to 2147483647", "ordinal", null, null);
            Ordinal = ordinal;
        }

        /// <summary>As the driver counts devices.</summary>
        public int Ordinal { get; }
        /// <summary>How many devices there are.</summary>
        public static int Count => cmm.Devices();
        /// <summary>The driver's name of it.</summary>
        public string Name => cmm.DeviceName(Ordinal);
        /// <summary>Bytes free and in all. Driver call: cuMemGetInfo.</summary>
        public MemoryInformation Memory => MemoryInformation.From(cmm.DeviceMemory(Ordinal));
        /// <summary>Whether an operation works on the device with this driver.</summary>
        public bool Supports(Operation operation) => WhyNot(operation).Length == 0;
        /// <summary>Why an operation does not work on the device; empty where it does.</summary>
        public string WhyNot(Operation operation) => cmm.UnsupportedReason(Ordinal, (int)operation);
        /// <summary>Makes its primary context the calling thread's current one.</summary>
        public void SetCurrent() => cmm.MakeCurrent(Ordinal);

        /// <inheritdoc/>
        public bool Equals(Device other) => Ordinal == other.Ordinal;
        /// <inheritdoc/>
        public override bool Equals(object obj) => obj is Device && Equals((Device)obj);
        /// <inheritdoc/>
        public override int GetHashCode() => Ordinal;
        /// <inheritdoc/>
        public override string ToString() => "device:" + Ordinal;
    }

    /// <summary>The host, or one NUMA node of it. <c>new Host()</c> is any of its memory.</summary>
    public readonly struct Host : IEquatable<Host>
    {
        private readonly LocationKind kind;

        private Host(LocationKind kind, int node)
        {
            this.kind = kind;
            Node = node;
        }

        internal LocationKind Kind => kind == 0 ? LocationKind.Host : kind;
        internal int Node { get; }
        /// <summary>Any memory of the host.</summary>
        public static Host Any => new Host(LocationKind.Host, 0);
        /// <summary>The NUMA node of the calling thread. CUDA 12.2.</summary>
        public static Host NumaCurrent => new Host(LocationKind.HostNumaCurrent, 0);
        /// <summary>One NUMA node. CUDA 12.2.</summary>
        /// <exception cref="ArgumentException">The node is negative.</exception>
        public static Host Numa(int node)
        {
            if (node < 0)
                throw new CmmArgumentException("location: host NUMA node: " + node + " is no ordinal; allowed are 0 to 2147483647", "node", null, null);
            return new Host(LocationKind.HostNuma, node);
        }

        /// <inheritdoc/>
        public bool Equals(Host other) => Kind == other.Kind && Node == other.Node;
        /// <inheritdoc/>
        public override bool Equals(object obj) => obj is Host && Equals((Host)obj);
        /// <inheritdoc/>
        public override int GetHashCode() => ((Location)this).GetHashCode();
        /// <inheritdoc/>
        public override string ToString() => ((Location)this).ToString();
    }
}
