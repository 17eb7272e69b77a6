/** Whether a text may declare or export a type of that name: what is no value of a module need not be a mistake. */
export function declaresType(text: string, name: string): boolean {
  const escaped = name.replace(/\$/g, "\\$");
  const declared = new RegExp(`\\b(?:interface|type|namespace)\\s+${escaped}\\b`);
  const exported = new RegExp(`\\btype\\b[^;]*\\b${escaped}\\b`);
  return declared.test(text) || exported.test(text);
}
