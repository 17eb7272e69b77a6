/** Optional properties under `exactOptionalPropertyTypes`, where `{ x: undefined }` is not `{}`. */

/** The properties of `values` that have a value: `{ ...given({ x }) }` has `x`, or no such property. */
export function given<Values extends object>(
  values: Values,
): { [Key in keyof Values]?: Exclude<Values[Key], undefined> } {
  const kept: Partial<Values> = {};
  for (const key in values) if (values[key] !== undefined) kept[key] = values[key];
  return kept as { [Key in keyof Values]?: Exclude<Values[Key], undefined> };
}
