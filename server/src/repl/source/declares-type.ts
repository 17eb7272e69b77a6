/** Whether a text may declare or export a type of that name: then a name without a value may be no mistake. */
export function declaresType(text: string, name: string): boolean {
  const escaped = name.replace(/\$/g, "\\$");
  const declared = new RegExp(`\\b(?:interface|type|namespace)\\s+${escaped}\\b`);
  const exported = new RegExp(`\\btype\\b[^;]*\\b${escaped}\\b`);
  return declared.test(text) || exported.test(text);
}
