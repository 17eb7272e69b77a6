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
  return JSON.stringify(value, (name, each: unknown) => {
    if (without.has(name) || each instanceof Promise) return undefined;
    if (typeof each === "string" && each.length > LONGEST) return { $text: texts.numberOf(each) };
    if (typeof each !== "object" || each === null) return each;
    const before = met.get(each);
    if (before !== undefined) return { $same: before };
    met.set(each, met.size);
    return each;
  });
}

/** Throws for what `pack` has not made. */
export function unpack(json: string, texts: Pick<Texts, "text">): unknown {
  const met: unknown[] = [];
  const unpacked = (each: unknown): unknown => {
    if (typeof each !== "object" || each === null) return each;
    if ("$text" in each) return texts.text(Number(each.$text));
    if ("$same" in each) return known(met, Number(each.$same));
    met.push(each);
    for (const [name, own] of Object.entries(each)) (each as Record<string, unknown>)[name] = unpacked(own);
    return each;
  };
  return unpacked(JSON.parse(json));
}

function known(met: readonly unknown[], number: number): unknown {
  if (!(number < met.length)) throw new Error(`object ${number} is missing`);
  return met[number];
}
