/** Which interfaces of a union an object literal implements: those that its own properties leave possible. */
import { afterEach, describe, expect, it } from "vitest";
import { findImplementations } from "../../../../server/src/typescript/xref/hierarchy/implementations.ts";
import { resolveSymbol } from "../../../../server/src/typescript/names/resolve-symbol.ts";
import { openProject, type TestProject } from "../with-typescript.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

const config = '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] } }';
const events = `export interface Opened { readonly kind: "opened"; readonly file: string }
export interface Closed { readonly kind: "closed"; readonly file: string }
export interface Failed { readonly kind: "failed"; readonly file?: undefined; readonly reason: string }
export type Event = Opened | Closed | Failed;
export declare function tell(event: Event): void;
`;

async function linesOf(address: string): Promise<number[] | undefined> {
  return project?.service.query(async (view) => {
    const resolution = await resolveSymbol(view, address);
    if (resolution.kind !== "found") throw new Error(`${address} is not found`);
    const answer = await findImplementations(view, resolution.target);
    return (answer?.found ?? []).map(({ at }) => at.line + 1);
  }, AbortSignal.timeout(120_000));
}

describe("an object literal where a union is expected", () => {
  it("implements the part that its property tells, and no other", async () => {
    project = openProject({
      "tsconfig.json": config,
      "events.ts": events,
      "use.ts": `import { tell, type Event } from "./events";
export const first: Event = { kind: "opened", file: "a" };
export const made = (): Event => ({ kind: "closed", file: "b" });
tell({ kind: "failed", reason: "c" });
const kind = "closed";
tell({ kind, file: "d" });
export const some = (isOpen: boolean): Event => ({ kind: isOpen ? "opened" : "closed", file: "e" });
tell({ kind: "opened", file: "f" } as const);
export const last: Event = { kind: "closed", ...{ file: "g" } };
`,
    });
    expect(await linesOf("events.ts#Opened")).toEqual([2, 7, 8]);
    expect(await linesOf("events.ts#Opened.kind")).toEqual([2, 7, 8]);
    expect(await linesOf("events.ts#Closed")).toEqual([3, 6, 7, 9]);
    expect(await linesOf("events.ts#Closed.kind")).toEqual([3, 5, 7, 9]);
    expect(await linesOf("events.ts#Failed")).toEqual([4]);
    expect(await linesOf("events.ts#Failed.reason")).toEqual([4]);
  });

  it("implements the part that its property tells of a union in an annotation", async () => {
    project = openProject({
      "tsconfig.json": config,
      "events.ts": events,
      "use.ts": `import type { Closed, Failed, Opened } from "./events";
export const first: Opened | Closed = { kind: "opened", file: "a" };
export const next = { kind: "closed", file: "b" } satisfies Opened | Closed;
export const list: (Failed | Opened)[] = [{ kind: "failed", reason: "c" }];
export function made(): Promise<Closed> | Closed {
  return { kind: "closed", file: "d" };
}
`,
    });
    expect(await linesOf("events.ts#Opened")).toEqual([2]);
    expect(await linesOf("events.ts#Closed")).toEqual([3, 6]);
    expect(await linesOf("events.ts#Failed")).toEqual([4]);
  });

  it("implements each part where no property tells the parts apart", async () => {
    project = openProject({
      "tsconfig.json": config,
      "shapes.ts":
        "export interface Named { readonly name: string }\nexport interface Titled { readonly name: string; readonly title?: string }\nexport declare function show(shape: Named | Titled): void;\n",
      "use.ts": 'import { show } from "./shapes";\nshow({ name: "a" });\nshow({ name: "b", title: "c" });\n',
    });
    expect(await linesOf("shapes.ts#Titled")).toEqual([2, 3]);
    expect(await linesOf("shapes.ts#Named.name")).toEqual([2, 3]);
  });
});
