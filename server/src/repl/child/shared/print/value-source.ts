/**
 * A value as TypeScript that makes an equal value. None of the project's code runs meanwhile. What has no such text,
 * such as a function or a socket, is named as the reason.
 */
import { captured, regExpFlags, shieldedMap, uncurried } from "../captured.ts";
import { eachEntry } from "../entries.ts";
import { nameOfType } from "./quiet-printer.ts";
import { classOf, dataOf, kindOf, nameOf, parentOf, typeOf, type Kind } from "./value-facts.ts";

export interface SourceNames {
  /** The name by which the text can reach a function or class; undefined where the text cannot reach the value. */
  readonly nameOf: (value: object) => string | undefined;
  /** Whether instances of the class have private fields, which no text outside of the class can set. */
  readonly hasPrivateFields: (owner: object) => boolean;
}

export type ValueSource = { readonly source: string } | { readonly why: string };

const MAX_CHARACTERS = 6_000;
const MAX_DEPTH = 20;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Classes of JavaScript and Node whose prototypes an instance must have exactly: a subclass has code of its own. */
const BUILT_IN = shieldedMap<unknown, string>();
const ERRORS = [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError];
const INTEGERS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array];
const OTHERS = [Float32Array, Float64Array, BigInt64Array, BigUint64Array, Buffer, URL, Date, RegExp, Map, Set];
for (const { prototype, name } of [...ERRORS, ...INTEGERS, ...OTHERS]) BUILT_IN.set(prototype, name);

export function sourceOf(values: readonly unknown[], names: SourceNames): ValueSource {
  const writer = new Writer(names);
  const source = writer.list(values.length, (index) => values[index]);
  return writer.why === undefined ? { source } : { why: writer.why };
}

class Writer {
  /** Why there is no text: what has been written is of no use then. */
  why: string | undefined;
  readonly #names: SourceNames;
  readonly #above: object[] = [];
  #left = MAX_CHARACTERS;

  constructor(names: SourceNames) {
    this.#names = names;
  }

  list(length: number, at: (index: number) => unknown): string {
    let text = "";
    for (let index = 0; index < length && this.why === undefined; index++) {
      text += `${index === 0 ? "" : ", "}${this.#write(at(index))}`;
    }
    return text;
  }

  #no(why: string): string {
    this.why ??= why;
    return "";
  }

  /** Counts what is written, so that a large value costs no more than a small one. */
  #put(text: string): string {
    this.#left -= text.length;
    return this.#left < 0 ? this.#no(`more than ${MAX_CHARACTERS} characters`) : text;
  }

  #write(value: unknown): string {
    const kind = kindOf(value);
    if (kind === "string") {
      const text = value as string;
      return text.length > this.#left ? this.#put(text) : this.#put(captured.stringify(text));
    }
    if (kind === "bigint") return this.#put(`${captured.String(value)}n`);
    if (kind === "function") {
      const name = this.#names.nameOf(value as object);
      return name === undefined
        ? this.#no(`a function, ${nameOf(value as object) || "without a name"}`)
        : this.#put(name);
    }
    if (kind === "primitive") {
      if (typeof value === "symbol") return this.#no("a symbol");
      return this.#put(captured.is(value, -0) ? "-0" : captured.String(value));
    }
    return kind === "proxy" ? this.#no("a proxy") : this.#object(value as object, kind);
  }

  #object(value: object, kind: Kind): string {
    for (let index = 0; index < this.#above.length; index++) {
      if (this.#above[index] === value) return this.#no("an object that refers to itself");
    }
    if (this.#above.length === MAX_DEPTH) return this.#no(`more than ${MAX_DEPTH} objects inside of each other`);
    this.#above[this.#above.length] = value;
    const text = this.#put("()") === "" ? "" : this.#inside(value, kind);
    this.#above.length--;
    return text;
  }

  #inside(value: object, kind: Kind): string {
    const proto = captured.getPrototypeOf(value) as object | null;
    if (kind === "array") return proto === Array.prototype ? `[${this.#elements(value)}]` : this.#instance(value);
    if (kind === "object" && proto === Object.prototype) return `{${this.#properties(value)}}`;
    if (kind === "object" && proto === null) return `{ __proto__: null,${this.#properties(value)}}`;
    const name = BUILT_IN.get(proto);
    if (kind === "error") return this.#error(value, name);
    if (name === undefined) return kind === "object" ? this.#instance(value) : this.#no(typeOf(value));
    if (kind === "date") return `new Date(${this.#put(captured.String(uncurried.dateTime(value)))})`;
    if (kind === "regexp") {
      const [source, flags] = [uncurried.regExpSource(value), regExpFlags(value)];
      return `new RegExp(${this.#put(captured.stringify(source))}, ${captured.stringify(flags)})`;
    }
    if (kind === "map" || kind === "set") return `new ${name}([${this.#entries(value, kind === "map")}])`;
    if (kind === "typedArray") {
      const items = this.list(uncurried.typedLength(value), (index) => uncurried.typedItem(value, index));
      return name === "Buffer" ? `Buffer.from([${items}])` : `new ${name}([${items}])`;
    }
    return name === "URL" ? `new URL(${this.#put(captured.stringify(uncurried.href(value)))})` : this.#instance(value);
  }

  /** A hole stays a hole, and one at the end needs a comma of its own. */
  #elements(value: object): string {
    const { length } = value as readonly unknown[];
    let text = "";
    let isHole = false;
    for (let index = 0; index < length && this.why === undefined; index++) {
      const own = captured.getOwnPropertyDescriptor(value, captured.String(index));
      isHole = own === undefined;
      text += index === 0 ? "" : this.#put(", ");
      if (own !== undefined) text += "value" in own ? this.#write(own.value) : this.#no("a getter");
    }
    return isHole ? `${text},` : text;
  }

  #entries(value: object, hasKeys: boolean): string {
    let text = "";
    eachEntry(value, (item, key, index) => {
      const written = hasKeys ? `[${this.#write(key)}, ${this.#write(item)}]` : this.#write(item);
      text += `${index === 0 ? "" : ", "}${written}`;
      return this.why === undefined;
    });
    return text;
  }

  #properties(value: object): string {
    if (captured.getOwnPropertySymbols(value).length > 0) return this.#no("a property that a symbol names");
    const keys = captured.keys(value);
    let text = "";
    for (let index = 0; index < keys.length && this.why === undefined; index++) {
      const key = keys[index] as string;
      const own = captured.getOwnPropertyDescriptor(value, key);
      if (own === undefined || !("value" in own)) return this.#no("a getter");
      const quoted = captured.stringify(key);
      const name = key === "__proto__" ? `[${quoted}]` : IDENTIFIER.test(key) ? key : quoted;
      text += `${index === 0 ? " " : ", "}${this.#put(name)}: ${this.#write(own.value)}`;
    }
    return text === "" ? "" : `${text} `;
  }

  /** The stack is a new one. */
  #error(value: object, name: string | undefined): string {
    const owner = name === undefined ? classOf(value) : undefined;
    const own = owner === undefined ? name : this.#names.nameOf(owner);
    if (own === undefined || this.#hasPrivate(owner)) return this.#no(typeOf(value));
    const message = dataOf(value, "message");
    const made = `new ${name ?? "Error"}(${typeof message === "string" ? this.#put(captured.stringify(message)) : ""})`;
    const properties = this.#properties(value);
    const whole = properties === "" ? made : `Object.assign(${made}, {${properties}})`;
    return owner === undefined ? whole : `Object.setPrototypeOf(${whole}, ${own}.prototype)`;
  }

  #instance(value: object): string {
    const owner = classOf(value);
    const name = owner === undefined ? undefined : this.#names.nameOf(owner);
    if (name === undefined || isOfNode(owner)) return this.#no(`an instance of ${nameOfType(value) ?? "no class"}`);
    if (this.#hasPrivate(owner)) return this.#no(`an instance of ${name}, which has private fields`);
    const head = `Object.create(${this.#put(name)}.prototype)`;
    const properties = this.#properties(value);
    return properties === "" ? head : `Object.assign(${head}, {${properties}})`;
  }

  #hasPrivate(owner: object | undefined): boolean {
    return owner !== undefined && this.#names.hasPrivateFields(owner);
  }
}

/** Whether the class, or one above it, is a global of Node's: its instances may have state that no property shows. */
function isOfNode(owner: object | undefined): boolean {
  for (let each = owner; each !== undefined; each = parentOf(each)) {
    const known = captured.getOwnPropertyDescriptor(globalThis, nameOf(each));
    if (known !== undefined && (!("value" in known) || known.value === each)) return true;
  }
  return false;
}
