/** Instances of a class with private names, over several definitions: each runs what the newest one says. */
import { beforeEach, expect, it } from "vitest";
import { shareRedefineImage, type RedefineImage } from "./redefine-project.ts";

const shared = shareRedefineImage();
let t: RedefineImage;
beforeEach(() => {
  t = shared();
});

/** The bodies of the definitions, and after each the answer of every instance so far, the oldest first. */
interface Story {
  readonly title: string;
  readonly asked: string;
  readonly told: readonly (readonly [body: string, answers: readonly string[]])[];
}

const STORIES: readonly Story[] = [
  {
    title: "a method that needs the names no more",
    asked: "it.show()",
    told: [
      ["#n = 1; show() { return 'v1 ' + this.#n }", ["v1 1"]],
      ["#n = 2; show() { return 'v2 ' + this.#n }", ["v2 1", "v2 2"]],
      ["#n = 3; show() { return 'v3' }", ["v3", "v3", "v3"]],
      ["#n = 4; show() { return 'v4 ' + this.#n }", ["v4 1", "v4 2", "v4 3", "v4 4"]],
    ],
  },
  {
    title: "a method that goes and comes back",
    asked: "typeof it.show + (it.show?.() ?? '')",
    told: [
      ["#n = 1; show() { return this.#n }", ["function1"]],
      ["#n = 2; show() { return this.#n * 10 }", ["function10", "function20"]],
      ["#n = 3; other() { return this.#n }", ["undefined", "undefined", "undefined"]],
      ["#n = 4; show() { return this.#n * 100 }", ["function100", "function200", "function300", "function400"]],
    ],
  },
  {
    title: "a new name, which old instances do not have",
    asked: "it.show()",
    told: [
      ["#n = 1; show() { return 'v1 ' + this.#n }", ["v1 1"]],
      ["#n = 2; show() { return 'v2 ' + this.#n }", ["v2 1", "v2 2"]],
      ["#n = 3; #m = 4; show() { return 'v3 ' + this.#m }", ["TypeError", "TypeError", "v3 4"]],
      ["#n = 5; show() { return 'v4 ' + this.#n }", ["v4 1", "v4 2", "v4 3", "v4 5"]],
    ],
  },
  {
    title: "getters, setters and generators",
    asked: "(it.size = 7, [it.size, ...it.all()].join())",
    told: [
      ["#n = 1; get size() { return this.#n } set size(n) { this.#n = n } *all() { yield this.#n }", ["7,7"]],
      ["#n = 2; get size() { return this.#n + 1 } set size(n) {} *all() { yield this.#n + 2 }", ["8,9", "3,4"]],
      ["size = 1; #n = 3; *all() { yield 'none' }", ["7,none", "7,none", "7,none"]],
      [
        "#n = 4; get size() { return this.#n } set size(n) {} *all() { yield this.#n * 2 }",
        ["7,14", "7,4", "7,6", "4,8"],
      ],
    ],
  },
  {
    title: "an accessor that becomes a method",
    asked: "typeof it.show === 'function' ? it.show() : it.show",
    told: [
      ["#n = 1; get show() { return 'g1 ' + this.#n }", ["g1 1"]],
      ["#n = 2; show() { return 'm2 ' + this.#n }", ["m2 1", "m2 2"]],
      ["#n = 3; get show() { return 'g3' }", ["g3", "g3", "g3"]],
    ],
  },
  {
    title: "private methods",
    asked: "it.show()",
    told: [
      ["#n = 1; #of(x) { return 'a' + x } show() { return this.#of(this.#n) }", ["a1"]],
      ["#n = 2; #of(x) { return 'b' + x } show() { return 'v2' + this.#n }", ["v21", "v22"]],
      ["#n = 3; show() { return 'v3' }", ["v3", "v3", "v3"]],
    ],
  },
  {
    title: "a class that has private names no more",
    asked: "it.show()",
    told: [
      ["#n = 1; show() { return 'v1 ' + this.#n }", ["v1 1"]],
      ["#n = 2; show() { return 'v2 ' + this.#n }", ["v2 1", "v2 2"]],
      ["n = 3; show() { return 'v3 ' + this.n }", ["v3 undefined", "v3 undefined", "v3 3"]],
      ["#n = 4; show() { return 'v4 ' + this.#n }", ["v4 1", "v4 2", "TypeError", "v4 4"]],
    ],
  },
];

for (const module of [undefined, "account.ts"]) {
  // A module does it as forms do: two stories say so.
  it.for(module === undefined ? STORIES : STORIES.slice(0, 2))(
    `runs the newest definition ${module === undefined ? "of forms" : "in a module"}: $title`,
    async ({ asked, told, title }) => {
      const name = `Acc${STORIES.findIndex((each) => each.title === title)}`;
      const run = (code: string): Promise<string> => (module === undefined ? t.value(code) : t.inModule(module, code));
      if (module !== undefined) t.write(`src/${module}`, `export class ${name} { ${told[0]?.[0]} }\n`);
      for (const [index, [body, answers]] of told.entries()) {
        const isThere = index === 0 && module !== undefined;
        if (!isThere) await t.install(module, `${module === undefined ? "" : "export "}class ${name} { ${body} }`);
        await run(`const it${name}_${index} = new ${name}()`);
        const each = told.slice(0, index + 1).map((_, at) => `it${name}_${at}`);
        const tried = `((it) => { try { return String(${asked}) } catch (error) { return error.name } })`;
        expect(await run(`[${each.join()}].map(${tried}).join(" | ")`)).toBe(`"${answers.join(" | ")}"`);
        expect(await run(`[${each.join()}].every((it) => it instanceof ${name})`)).toBe("true");
      }
    },
  );
}
