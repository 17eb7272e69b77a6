/** Declarations by their addresses: which lines are shown, and what the conversation knows of the file then. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadSymbol, type NoteRead } from "../../server/src/tools/introspection/read-symbol.ts";
import { SeenTexts, textAsKnown } from "../../server/src/tools/seen-texts.ts";
import type { ToolAnswer } from "../../server/src/tools/tool.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

const SHAPES = `/* A license. */

import { sealed } from "./sealed";
const before = 1; // not about the class

/** A shape. */
// Sides are counted.
@sealed
export class Shape {
  /** How many. */
  readonly sides = 3;

  grow(by: number): number;
  /** In words. */
  grow(by: string): number;
  grow(by: number | string): number {
    return Number(by) + before;
  }

  get name(): string {
    return "shape";
  }
  other = 1;
  set name(value: string) {
    this.other = value.length;
  }
}

export const [first, second] = [1, 2],
  third = 3;

export const area = (shape: Shape): number => {
  return shape.sides;
};
export interface Box { a: 1 }
const between = 1;
export interface Box { b: 2 }
export function loop(): void {
  for (const each of [between]) console.log(each);
}
`;
const LONG = `export function long(): number[] {\n${"  // line\n".repeat(900)}  return [];\n}\nexport const short = 1;\n`;

const DEEP = `export function deep() {
${"  // line\n".repeat(100)}  return {
    callIt(all: readonly number[]) {
      const half = (n: number) => {
        return n / 2;
      };
      if (all.length > 9) {
        const twin = [
        ];
      } else {
        const twin = [
        ];
      }
      // Each of them.
      return all.map(half);
    },

    // Nothing.
    other: 1,
  };
}
`;

let project: TestProject;
const read: Parameters<NoteRead>[] = [];

beforeAll(() => {
  project = openProject({
    "tsconfig.json": '{ "compilerOptions": { "types": [], "experimentalDecorators": true } }',
    "src/shapes.ts": SHAPES,
    "src/sealed.ts": "export function sealed(target: unknown): void {\n  void target;\n}\n",
    "src/long.ts": LONG,
    "src/deep.ts": DEEP,
    "src/user.ts": 'import { tool } from "kit";\nexport const used = tool(1);\n',
    "src/again.ts": "export class Shape {}\n",
    "src/plain.js": "/** Adds one. */\nexports.plus = function (n) {\n  return n + 1;\n};\n",
    "src/.env.ts": 'export const KEY = "secret";\nexport class Vault {}\n',
    "src/peek.ts": 'export { Vault } from "./.env";\n',
    "node_modules/kit/package.json": '{ "name": "kit", "version": "1.0.0", "types": "index.d.ts" }',
    "node_modules/kit/index.d.ts":
      "/** Makes it. */\nexport declare function tool(n: number): string;\nexport declare function tool(n: string): string;\n",
  });
});
afterAll(() => project.dispose());

async function ask(args: Record<string, unknown>): Promise<ToolAnswer> {
  const tool = createReadSymbol(project.service, (...noted) => read.push(noted));
  const context = { callId: "1", caller: "model", sessionId: "s", signal: AbortSignal.timeout(60_000) } as const;
  return (await tool.run(args, context)) as ToolAnswer;
}

async function text(args: Record<string, unknown>): Promise<string> {
  return (await ask(args)).content;
}

/** The numbers of the lines that an answer quotes. */
function numbers(answer: string): number[] {
  return [...answer.matchAll(/^ *(\d+)  /gm)].map(([, line]) => Number(line));
}

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe("read_symbol", () => {
  it("shows a class with its comments and decorators, and nothing of what stands around it", async () => {
    const answer = await text({ symbol: "src/shapes.ts#Shape" });
    expect(answer).toMatch(/^src\/shapes\.ts#Shape — class\n 6 {2}\/\*\* A shape\. \*\/\n/);
    expect(numbers(answer)).toEqual(span(6, 27));
  });

  it.each([
    ["overloads together, with the comment of each", { symbol: "src/shapes.ts#Shape.grow" }, span(13, 18)],
    ["one overload by its number", { symbol: "src/shapes.ts#Shape.grow#2" }, [14, 15]],
    [
      "a getter and its setter, and not what stands between them",
      { symbol: "src/shapes.ts#Shape.name" },
      [20, 21, 22, 24, 25, 26],
    ],
    ["the whole statement of one of several variables", { symbol: "second" }, [29, 30]],
    ["a function that a variable holds", { symbol: "area" }, span(32, 34)],
    ["both halves of an interface", { symbol: "Box" }, [35, 37]],
    ["the member that is declared on a line", { symbol: "src/shapes.ts:11" }, [10, 11]],
    ["the declaration around a line", { symbol: "src/shapes.ts:17:5" }, span(13, 18)],
    ["a function around a line, written as on the web", { symbol: "src/shapes.ts#L39" }, span(38, 40)],
    ["what JavaScript exports by an assignment", { symbol: "src/plain.js#plus" }, span(1, 4)],
    ["what a path narrows", { symbol: "Shape", path: "src/again.ts" }, [1]],
    ["a dependency's declarations", { symbol: "kit#tool" }, [1, 2, 3]],
  ])("shows %s", async (_title, args, lines) => {
    expect(numbers(await text(args))).toEqual(lines);
  });

  it("shows several, each under its own address, and says of a name alone what is wrong with it", async () => {
    const answer = await text({ symbols: ["area", "src/again.ts#Shape", "Shap", "Shape"] });
    expect(answer).toMatchInlineSnapshot(`
      "src/shapes.ts#area — function
      32  export const area = (shape: Shape): number => {
      33    return shape.sides;
      34  };

      src/again.ts#Shape — class
      1  export class Shape {}

      No symbol "Shap" in the loaded projects.
      Nearest: Shape

      "Shape" means 2 different symbols (class). Ask again with one of these:
        src/{again,shapes}.ts#Shape"
    `);
  });

  it("shows the language's own declarations", async () => {
    expect(await text({ symbol: "Array.prototype.flat" })).toMatch(/^lib\.\S+#Array\.flat — method\n[^]* flat</);
  });

  it("reads unsaved text", async () => {
    const uri = project.uri("src/again.ts");
    project.service.documents.didOpen({
      uri,
      languageId: "typescript",
      version: 1,
      text: "\n\nexport class Shape { typed = 1 }\n",
    });
    expect(await text({ symbol: "src/again.ts#Shape" })).toContain("3  export class Shape { typed = 1 }");
    project.service.documents.didClose({ uri });
  });

  it("shows nothing of a file under a name that secrets have", async () => {
    for (const symbol of ["src/.env.ts#KEY", "src/.env.ts#Vault", "src/peek.ts#Vault", "src/.env.ts:1"]) {
      expect(await text({ symbol }), symbol).not.toContain("secret");
      expect(numbers(await text({ symbol })), symbol).toEqual([]);
    }
  });

  it("cuts a long one and reads on with the cursor, to the end", async () => {
    const lines: number[] = [];
    let cursor: string | undefined;
    do {
      const answer = await ask({ symbol: "long", ...(cursor === undefined ? {} : { cursor }) });
      lines.push(...numbers(answer.content));
      cursor = answer.nextCursor;
    } while (cursor !== undefined);
    expect(lines).toEqual(span(1, 903));
  });

  it("gives each of several its share", async () => {
    const answer = await text({ symbols: ["long", "short"] });
    expect(answer).toContain("399    // line\n… 504 more lines: read_file src/long.ts, start 400, end 903\n");
    expect(answer).toContain("904  export const short = 1;");
    const several = await text({ symbols: ["src/deep.ts#deep", "area", "Box", "short"] });
    expect(several, "what short ones leave, long ones have").not.toContain("more lines");
  });

  it("shows of a long function the one inside of it that is round a line, and says what that is inside of", async () => {
    const answer = await text({ symbol: "src/deep.ts:105" });
    expect(answer).toMatch(/^src\/deep\.ts#deep\.callIt — method, inside of deep \(121 lines\)\n/);
    expect(numbers(answer)).toEqual(span(103, 116));
    expect(numbers(await text({ symbol: "src/deep.ts:120" }))).toEqual(span(1, 121));
  });

  it("reads a function that a variable inside of another one holds, by the name that who_calls gives the caller", async () => {
    expect(await text({ symbol: "deep.callIt.half" })).toContain("const half = (n: number) => {");
    expect(await text({ symbol: "deep.callIt.twin" }), "one of two").toContain(
      "src/deep.ts#deep.callIt.twin#2  (line 111)",
    );
  });

  it("names what is declared beside a line on which nothing is", async () => {
    expect(await text({ symbol: "src/shapes.ts:28" })).toBe(
      "Nothing is declared on line 28 of src/shapes.ts.\nNearest: src/shapes.ts#Shape (line 9), src/shapes.ts#first (line 29)",
    );
  });

  it("refuses a call without a name", async () => {
    await expect(ask({})).rejects.toThrow("Name the symbol to read");
  });
});

describe("what was read", () => {
  it("is noted as far as it was shown", async () => {
    read.length = 0;
    await ask({ symbols: ["src/shapes.ts#Shape.name", "kit#tool"] });
    const [[conversation, file, noted] = []] = read;
    expect([conversation, file?.endsWith("src/shapes.ts")]).toEqual(["s", true]);
    const parts = noted?.stretches.map(({ start, end }) => noted.text.slice(start, end));
    expect(parts).toEqual([
      '  get name(): string {\n    return "shape";\n  }\n',
      "  set name(value: string) {\n    this.other = value.length;\n  }\n",
    ]);
  });

  it("is known from then on, and the rest as it was read before", () => {
    const seen = new SeenTexts();
    const now = "a\nB\nc\nD\ne\n";
    const at = (part: string): { start: number; end: number } => ({
      start: now.indexOf(part),
      end: now.indexOf(part) + part.length,
    });
    seen.note("s", "file:///a", "a\nb\nc\nd\ne\n");
    seen.noteStretches("s", "file:///a", { text: now, stretches: [at("B\n")] });
    expect(seen.get("s", "file:///a")).toBe("a\nB\nc\nd\ne\n");
    seen.noteStretches("s", "file:///a", { text: now, stretches: [at("c\nD\n")] });
    expect(seen.get("s", "file:///a")).toBe(now);
    seen.noteStretches("t", "file:///a", { text: now, stretches: [at("c\n")] });
    expect(seen.get("t", "file:///a")).toBe(now);
  });

  it("does not count lines as known to be gone that stood at the edge of what was read", () => {
    const [before, now] = ["a\nb\nc\nd\n", "a\nc\n"];
    expect(textAsKnown(before, now, [{ start: 0, end: 2 }])).toBe(before);
    expect(textAsKnown(before, now, [{ start: 2, end: 4 }])).toBe("a\nb\nc\n");
    expect(textAsKnown(before, now, [{ start: 0, end: 4 }])).toBe(now);
    expect(textAsKnown("x\na\n", "a\n", [{ start: 0, end: 2 }])).toBe("a\n");
    expect(textAsKnown(before, "", [])).toBe("");
  });
});
