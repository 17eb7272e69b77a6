/** Answers that were once wrong or weak, each on a case of its own, and laws that hold for all of them. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createAproposSearch } from "../../server/src/tools/introspection/apropos-search.ts";
import { createClassHierarchy } from "../../server/src/tools/introspection/class-hierarchy.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createFindImplementations } from "../../server/src/tools/introspection/find-implementations.ts";
import { createMacroexpandForm } from "../../server/src/tools/introspection/macroexpand-form.ts";
import { createMethodSpecializers } from "../../server/src/tools/introspection/method-specializers.ts";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import { openProject } from "../unit/typescript/with-typescript.ts";
import { runsAll } from "../support/extent.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("answers-project");
const calls = createWhoCalls(service);
const references = createWhoReferences(service);
const hierarchy = createClassHierarchy(service);
const implementations = createFindImplementations(service);
const specializers = createMethodSpecializers(service);
const describeSymbol = createDescribeSymbol(service);
const apropos = createAproposSearch(service);
const macroexpand = createMacroexpandForm(service);
afterAll(() => service.dispose());

describe("files that the compiler does not read", () => {
  it.each([
    ["unread-callers", calls, { symbol: "openPanel" }],
    ["unread-by-the-name-of-a-component", references, { symbol: "SidePanel" }],
    ["unread-comments-and-styles-do-not-count", calls, { symbol: "closePanel" }],
    ["unread-subclasses", hierarchy, { symbol: "Mallard" }],
    ["unread-subclasses-of-one-that-fits", hierarchy, { symbol: "Duck" }],
    ["unread-implementations", implementations, { symbol: "Duck" }],
    ["unread-and-described", describeSymbol, { symbol: "openPanel" }],
    ["unread-and-unknown", calls, { symbol: "Pintail" }],
  ])("%s", async (name, tool, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/answers/${name}.txt`);
  });
});

it("sees such files come and go", async () => {
  const project = openProject({
    "tsconfig.json": '{ "compilerOptions": { "types": [] } }',
    "src/a.ts": "export function used(): void {}\n",
  });
  try {
    expect(await project.whoCalls({ symbol: "used" })).toMatchObject({ complete: true });
    project.write("src/A.vue", '<script>\nimport { used } from "./a";\nused();\n</script>\n');
    const second = await project.whoCalls({ symbol: "used" });
    expect(second).toMatchObject({ complete: false });
    expect(second.notes?.join("\n")).toContain("src/A.vue:2");
    project.write("src/A.vue", "<script>\n</script>\n");
    expect(await project.whoCalls({ symbol: "used" })).toMatchObject({ complete: true });
    project.write("node_modules/other/B.vue", "<script>used()</script>\n");
    project.write("src/C.svelte", "<script>used()</script>\n");
    expect((await project.whoCalls({ symbol: "used" })).notes?.join("\n")).toContain("1 .svelte file contains");
    rmSync(join(project.root, "src/C.svelte"));
    expect(await project.whoCalls({ symbol: "used" })).toMatchObject({ complete: true });
  } finally {
    await project.dispose();
  }
});

describe("implementations", () => {
  it.each([
    ["members-of-one-that-fits", specializers, { symbol: "Duck.quack" }],
    ["members-of-one-that-fits-implemented", implementations, { symbol: "Duck.quack" }],
    ["an-optional-member-below-one-that-fits", specializers, { symbol: "Duck.feathers" }],
    ["an-optional-member-below-one-that-fits-implemented", implementations, { symbol: "Duck.feathers" }],
    ["several-ways-up", hierarchy, { symbol: "Base" }],
    ["several-ways-up-from-below", hierarchy, { symbol: "Twice" }],
  ])("%s", async (name, tool, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/answers/${name}.txt`);
  });
});

describe("what is shown", () => {
  it.each([
    ["a-long-line", references, { symbol: "settings" }],
    ["a-large-object", describeSymbol, { symbol: "settings" }],
    ["a-large-constant-object", describeSymbol, { symbol: "codes", limit: 3 }],
    ["names-of-callbacks-left-out", apropos, { pattern: "/callback|inside|part$/i", path: "src/user.js" }],
    ["a-global-once", apropos, { pattern: "Promise", limit: 3 }],
    ["signatures-left-out", apropos, { pattern: "/./", path: "src/names.ts", kinds: ["method", "constructor"] }],
  ])("%s", async (name, tool, args) => {
    const answer = (await ask(tool, args)).replaceAll(/(lib\.\S+\.d\.ts#\S+ {2}\w+), line \d+/g, "$1");
    await expect(answer).toMatchFileSnapshot(`snapshots/answers/${name}.txt`);
  });

  it("shows the place itself on each page of a long line", async () => {
    const { content } = parts(await ask(references, { symbol: "settings" }));
    const lines = content.split("\n").filter((line) => line.includes("settings."));
    // Two of the four stand in one excerpt.
    expect(lines.map((line) => Number(/ ×(\d+): /.exec(line)?.[1] ?? 1)).toSorted()).toEqual([1, 1, 2]);
    for (const line of lines) expect(line).toMatch(/: .*\bsettings\./);
  });
});

describe("macroexpand_form", () => {
  it.each([
    ["private-and-protected-members", { form: "Größe", as: "type" }],
    ["an-abstract-class", { form: "src/names.ts#Maß", as: "type" }],
    ["picked-from-an-abstract-class", { form: 'Pick<Maß, "messen">' }],
    ["a-quoted-member-of-a-value", { form: 'box["a b"]', as: "type" }],
    ["a-quoted-member-by-address", { form: 'src/names.ts#box."c-d"', as: "type" }],
    ["an-element-of-a-value", { form: "box.list[0]" }],
    ["a-quoted-member-of-a-class", { form: 'Größe."zwei Worte"', as: "type" }],
    ["a-member-type-in-brackets", { form: 'src/names.ts#Größe["zwei Worte"]' }],
    ["a-static-member", { form: "Größe.anzahl", as: "type" }],
    ["a-member-of-a-literal", { form: "box . list", as: "type" }],
    ["a-function-with-an-umlaut", { form: "länge", as: "type" }],
    ["an-address-with-an-umlaut-inside", { form: "Partial<src/names.ts#Größe>" }],
    ["type-arguments", { form: "Map<string, Größe>" }],
  ])("%s", async (name, args) => {
    const answer = (await ask(macroexpand, args)).replaceAll(/(lib\.\S+\.d\.ts):\d+:\d+/g, "$1");
    await expect(answer).toMatchFileSnapshot(`snapshots/answers/expand-${name}.txt`);
  });
});

describe("a cursor", () => {
  it.each(["12abc", "-1", "1.5", " 3", "", "0x2"])(
    "that no answer gave out is refused with what one looks like: %j",
    async (cursor) => {
      for (const [tool, args] of [
        [references, { symbol: "settings" }],
        [apropos, { pattern: "settings" }],
        [describeSymbol, { symbol: "settings" }],
        [hierarchy, { symbol: "Base" }],
      ] as const) {
        await expect(ask(tool, { ...args, cursor })).rejects.toThrow('a cursor is a whole number, as "30"');
      }
    },
  );

  it("past the end is refused", async () => {
    await expect(ask(references, { symbol: "settings", cursor: "4" })).rejects.toThrow("has 4 entries now");
    expect(await ask(references, { symbol: "settings", cursor: "3" })).toContain("Shown: 4 to 4 of 4 mentions");
  });
});

/** How many of each project are asked about. */
const [ADDRESSES, TYPES] = runsAll ? [120, 300] : [40, 25];

/** Fixtures that need no other packages. */
const projects = ["answers-project", "ts-project", "xref-project", "shapes-project", "expand-project"];

describe.each(projects)("in %s", (name) => {
  const fixture = openFixture(name);
  const search = createAproposSearch(fixture.service);
  const describeHere = createDescribeSymbol(fixture.service);
  const implemented = createFindImplementations(fixture.service);
  const specialized = createMethodSpecializers(fixture.service);
  afterAll(() => fixture.service.dispose());

  it("every address that apropos_search prints leads back to its symbol", { timeout: 60_000 }, async () => {
    const content = withFiles(parts(await fixture.ask(search, { pattern: "/./", limit: ADDRESSES })).content);
    const entries = [...content.matchAll(/^ {2}(\S.*?) {2}(\d+): /gm)];
    expect(entries.length).toBeGreaterThan(30);
    expect(new Set(entries.map(([, address]) => address)).size).toBe(entries.length);
    const wrong: string[] = [];
    for (const [, address = "", line = ""] of entries) {
      const described = await fixture.ask(describeHere, { symbol: address, limit: 1 });
      const said = /^(\S+)#.+ — .+, line (\d+)$/m.exec(described);
      const [, file = "?", at] = said ?? /^Declared at (.+):(\d+)$/m.exec(described) ?? [];
      if (!address.startsWith(`${file}#`) || at !== line) wrong.push(`${address}: ${file}:${at ?? "?"}`);
    }
    expect(wrong).toEqual([]);
  });

  it("find_implementations and method_specializers list the same members", { timeout: 60_000 }, async () => {
    const all = parts(await fixture.ask(search, { pattern: "/./", kinds: ["interface", "class"], limit: 300 }));
    const content = withFiles(all.content);
    const types = [...content.matchAll(/^ {2}(\S+)#(\S+) {2}\d+: (?:[a-z]+ )*(?:interface|class)\b/gm)].filter(
      ([, file = ""]) => !/^lib\.|node_modules/.test(file),
    );
    let compared = 0;
    const differences: string[] = [];
    for (const [, file = "", type = ""] of types.slice(0, TYPES)) {
      const members = parts(
        await fixture.ask(search, { pattern: "/./", path: file, kinds: ["method", "property"], limit: 300 }),
      );
      const own = [...withFiles(members.content).matchAll(/^ {2}(\S+) {2}/gm)].map(([, address = ""]) => address);
      for (const address of own.filter((each) => each.slice(file.length + 1).replace(/\.[^.]+$/, "") === type)) {
        const one = placesIn(await fixture.ask(implemented, { symbol: address, limit: 1000 }), "implementations");
        const other = placesIn(await fixture.ask(specialized, { symbol: address, limit: 1000 }), "specializers");
        if (one === undefined || other === undefined) continue;
        compared += one.length;
        if (one.join("\n") !== other.join("\n")) differences.push(`${address}: ${one.join(" ")} | ${other.join(" ")}`);
      }
    }
    expect(differences).toEqual([]);
    if (name === "answers-project" || name === "xref-project") expect(compared).toBeGreaterThan(10);
  });
});

function parts(answer: string): { readonly content: string } {
  return { content: answer.slice(answer.indexOf("\n\n") + 2, answer.lastIndexOf("\n---\n")) };
}

/** `file:line` of what implements a member, sorted; undefined for what has none by its kind. */
function placesIn(answer: string, kind: "implementations" | "specializers"): string[] | undefined {
  const { content } = parts(answer);
  if (/^\S+ (?:is an?|belongs to) /.test(content)) return undefined;
  if (kind === "implementations") return unfolded(content).toSorted();
  const listed = content.split("Overridden or implemented by")[1] ?? "";
  return [...listed.matchAll(/^ {2}.*\(.*?, (\S+:\d+)\)/gm)].map(([, place = ""]) => place).toSorted();
}

/** The places of an answer in which folders, and texts, are said once for many places. */
function unfolded(content: string): string[] {
  let folder = "";
  return content.split("\n").flatMap((line) => {
    folder = /^ {2}(\S+\/)$/.exec(line)?.[1] ?? (/^ {4}/.test(line) ? folder : "");
    const [, own = "", ending = "", listed] =
      /^ {4}(?:(\S+\/)(?:\*(\.\w+))? )?((?:[^\s/]+:[\d,]+(?:, )?)+)$/.exec(line) ?? [];
    if (listed !== undefined) {
      return listed.split(/, (?=\D)/).flatMap((each) => {
        const [file = "", lines = ""] = each.split(":");
        return lines.split(",").map((at) => `${own}${file}${ending}:${at}`);
      });
    }
    const places = /^ +((?:\S+:\d+, )*\S+:\d+) /.exec(line)?.[1];
    return places === undefined ? [] : places.split(", ").map((place) => `${folder}${place}`);
  });
}

/** The addresses of a list in which a file may be said once for several symbols. */
function withFiles(content: string): string {
  let file = "";
  return content
    .split("\n")
    .map((line) => {
      file = /^ {2}(\S*#)$/.exec(line)?.[1] ?? file;
      return line.replace(/^ {4}(?=\S)/, `  ${file}`);
    })
    .join("\n");
}
