/** How code of ours imports a module as another module would: the specifier and its importer in one specifier. */

const FROM = "agentq-from:";

export function fromParent(specifier: string, parent: string): string {
  return `${FROM}${encodeURIComponent(JSON.stringify([parent, specifier]))}`;
}

/** Undefined for a specifier that the program wrote. */
export function importOf(specifier: string): { readonly parentURL: string; readonly named: string } | undefined {
  if (!specifier.startsWith(FROM)) return undefined;
  const [parentURL, named] = JSON.parse(decodeURIComponent(specifier.slice(FROM.length))) as [string, string];
  return { parentURL, named };
}
