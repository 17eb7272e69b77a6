/** Many addresses of one name in few lines: `src/parts/{a,b}.ts#def`, as a shell writes several files. */

export interface NamedAddress {
  /** `src/parts/a.ts#def` */
  readonly address: string;
  readonly kind: string;
  /** Counted from 1. */
  readonly line: number;
}

const FEWEST = 2;
const FILE = /^(.*\/)?([^/]+?)(\.[cm]?[jt]sx?#.+)$/;

/** In the order of the first address of each line. A single address goes with its line. Kinds are told where they differ. */
export function addressLines(all: readonly NamedAddress[]): string[] {
  const tellsKind = new Set(all.map(({ kind }) => kind)).size > 1;
  const groups = Map.groupBy(all, ({ address, kind }) => {
    const [, folder = "", , rest = ""] = FILE.exec(address) ?? [];
    return rest === "" ? address : `${folder}\n${rest}\n${kind}`;
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length < FEWEST) {
      return group.map(({ address, kind, line }) => `${address}  (${tellsKind ? `${kind}, ` : ""}line ${line})`);
    }
    const [, folder = "", , rest = ""] = FILE.exec(first.address) ?? [];
    const names = group.map(({ address }) => FILE.exec(address)?.[2] ?? "");
    return [`${folder}{${names.join(",")}}${rest}${tellsKind ? `  (${first.kind})` : ""}`];
  });
}
