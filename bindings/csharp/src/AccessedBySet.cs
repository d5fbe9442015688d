// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections;
using System.Collections.Generic;

namespace Cmm
{
    /// <summary>
    /// The devices and the host that have a buffer mapped: a live set, asked of the driver at each use. Keeps the
    /// buffer alive. Only devices and the host can be in it.
    /// </summary>
    public sealed class AccessedBySet : ISet<Location>
    {
        private readonly ManagedBuffer buffer;
        internal AccessedBySet(ManagedBuffer buffer) { this.buffer = buffer; }

        // The driver's answer, by one query.
        private unsafe HashSet<Location> Now()
        {
            var numbers = (ulong*)cmm.GetAccessedBy(buffer.Id);
            GC.KeepAlive(buffer);
            var devices = numbers[0];
            var set = new HashSet<Location>();
            for (var i = 0; devices >> i != 0; ++i)
                if ((devices >> i & 1) != 0)
                    set.Add(new Device(i));
            if (numbers[1] != 0)
                set.Add(new Host());
            return set;
        }

        internal void Assign(IEnumerable<Location> wanted)
        {
            Errors.RequireNotNull(wanted, "assign_accessed_by", "locations");
            var list = new List<Location>(wanted);
            cmm.AssignAccessedBy(buffer.Id, Arguments.Locations(list));
            GC.KeepAlive(buffer);
        }

        /// <inheritdoc/>
        public int Count => Now().Count;
        /// <inheritdoc/>
        public bool IsReadOnly => false;
        /// <inheritdoc/>
        public bool Contains(Location item) => Now().Contains(item);
        /// <summary>Adds an accessor; what is in the set already costs one query.</summary>
        public bool Add(Location item)
        {
            var before = Contains(item);
            if (!before)
            {
                cmm.AddAccessedBy(buffer.Id, item.Code);
                GC.KeepAlive(buffer);
            }
            return !before;
        }
        void ICollection<Location>.Add(Location item) => Add(item);
        /// <summary>Takes an accessor out.</summary>
        public bool Remove(Location item)
        {
            var before = Contains(item);
            if (before)
            {
                cmm.DiscardAccessedBy(buffer.Id, item.Code);
                GC.KeepAlive(buffer);
            }
            return before;
        }
        /// <inheritdoc/>
        public void Clear() => Assign(new Location[0]);
        /// <inheritdoc/>
        public void CopyTo(Location[] array, int arrayIndex) => Now().CopyTo(array, arrayIndex);
        /// <summary>Goes over the set as it is now.</summary>
        public IEnumerator<Location> GetEnumerator() => Now().GetEnumerator();
        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        // The mutators assign once, so that only the differences reach the driver.
        private void Change(Action<HashSet<Location>> how)
        {
            var set = Now();
            how(set);
            Assign(set);
        }
        /// <inheritdoc/>
        public void UnionWith(IEnumerable<Location> other) => Change(s => s.UnionWith(other));
        /// <inheritdoc/>
        public void IntersectWith(IEnumerable<Location> other) => Change(s => s.IntersectWith(other));
        /// <inheritdoc/>
        public void ExceptWith(IEnumerable<Location> other) => Change(s => s.ExceptWith(other));
        /// <inheritdoc/>
        public void SymmetricExceptWith(IEnumerable<Location> other) => Change(s => s.SymmetricExceptWith(other));
        /// <inheritdoc/>
        public bool IsSubsetOf(IEnumerable<Location> other) => Now().IsSubsetOf(other);
        /// <inheritdoc/>
        public bool IsSupersetOf(IEnumerable<Location> other) => Now().IsSupersetOf(other);
        /// <inheritdoc/>
        public bool IsProperSubsetOf(IEnumerable<Location> other) => Now().IsProperSubsetOf(other);
        /// <inheritdoc/>
        public bool IsProperSupersetOf(IEnumerable<Location> other) => Now().IsProperSupersetOf(other);
        /// <inheritdoc/>
        public bool Overlaps(IEnumerable<Location> other) => Now().Overlaps(other);
        /// <inheritdoc/>
        public bool SetEquals(IEnumerable<Location> other) => Now().SetEquals(other);
    }
}
