/**
 * Plain data as JSON. Its long texts are kept elsewhere, each once, and an object that occurs twice is still one
 * object. Pure.
 */

/** Contract: `text(number)` is the text that `numberOf` answered the number for. */
export interface Texts {
  readonly numberOf: (text: string) => number;
  readonly text: (number: number) => string;
}

/** Longer texts are kept elsewhere. */
export const LONGEST = 100;

/** Functions and promises are left out, which mean nothing to another process, and the properties with these names. */
export function pack(value: unknown, texts: Pick<Texts, "numberOf">, without: ReadonlySet<string>): string {
  const met = new Map<object, number>();
  const packed = (each: unknown): unknown => {
    if (typeof each === "string") return each.length > LONGEST ? { $text: texts.numberOf(each) } : each;
    if (typeof each !== "object" || each === null) return each;
    const before = met.get(each);
    if (before !== undefined) return { $same: before };
    met.set(each, met.size);
    if (Array.isArray(each)) return each.map(packed);
    if (each instanceof Set) return { $set: [...each].map(packed) };
    if (each instanceof Map) return { $map: [...each].map(([key, own]) => [key, packed(own)]) };
    const made: Record<string, unknown> = {};
    for (const name of Object.keys(each)) {
      const own = (each as Readonly<Record<string, unknown>>)[name];
      if (!without.has(name) && typeof own !== "function" && !(own instanceof Promise)) made[name] = packed(own);
    }
    return made;
  };
  return JSON.stringify(packed(value));
}

/** Throws for what `pack` has not made. */
export function unpack(json: string, texts: Pick<Texts, "text">): unknown {
  const met: unknown[] = [];
  const unpacked = (each: unknown): unknown => {
    if (typeof each !== "object" || each === null) return each;
    if ("$text" in each) return texts.text(Number(each.$text));
    if ("$same" in each) return known(met, Number(each.$same));
    const place = met.push(undefined) - 1;
    if ("$set" in each && Array.isArray(each.$set)) {
      const set = new Set<unknown>();
      met[place] = set;
      for (const own of each.$set) set.add(unpacked(own));
      return set;
    }
    if ("$map" in each && Array.isArray(each.$map)) {
      const map = new Map<unknown, unknown>();
      met[place] = map;
      for (const [key, own] of each.$map as [unknown, unknown][]) map.set(key, unpacked(own));
      return map;
    }
    const made: Record<string, unknown> | unknown[] = Array.isArray(each) ? [] : {};
    met[place] = made;
    for (const [name, own] of Object.entries(each)) (made as Record<string, unknown>)[name] = unpacked(own);
    return made;
  };
  return unpacked(JSON.parse(json));
}

function known(met: readonly unknown[], number: number): unknown {
  if (!(number < met.length)) throw new Error(`object ${number} is missing`);
  return met[number];
}
