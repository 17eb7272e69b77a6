/** Root reads every folder; without this right a process of root's is an owner like any other. */
export function asOrdinaryOwner(): string[] {
  if (process.getuid?.() !== 0) return [];
  const rights = "-dac_override,-dac_read_search";
  return ["setpriv", `--bounding-set=${rights}`, `--inh-caps=${rights}`];
}
