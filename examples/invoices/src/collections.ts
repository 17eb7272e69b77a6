/** Groups items by a key, keeping the order in which keys and items first appear. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Maps every value and keeps the keys. */
export function mapValues<Key, From, To>(
  map: ReadonlyMap<Key, From>,
  change: (value: From, key: Key) => To,
): Map<Key, To> {
  return new Map(Array.from(map, ([key, value]) => [key, change(value, key)]));
}

/** The items without those whose key has been seen before. */
export function uniqueBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => unknown): Item[] {
  return Array.from(groupBy(items, keyOf).values(), ([first]) => first).filter((item) => item !== undefined);
}
