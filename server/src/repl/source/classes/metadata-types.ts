/**
 * The metadata of `emitDecoratorMetadata` for enums of other modules. swc sees only one file and gives the enum's
 * object, where tsc gives `Number` or `String`: the object shows at run time which of the two it is.
 */
const METADATA = "return Reflect.metadata(metadataKey, metadataValue);";
/** On one line, so that no line of the module moves. */
const BY_VALUES = [
  'const typeOf = (value) => { if (typeof value !== "object" || value === null) return value;',
  "const all = Object.entries(value).flatMap(([name, each]) => String(Number(name)) === name ? [] : typeof each);",
  "return all.length === 0 || new Set(all).size > 1 ? Object : { number: Number, string: String }[all[0]] ?? Object; };",
  "return Reflect.metadata(metadataKey, Array.isArray(metadataValue) ? metadataValue.map(typeOf) : typeOf(metadataValue));",
].join(" ");

export function withEnumTypes(emitted: string): string {
  return emitted.replace(METADATA, () => BY_VALUES);
}
