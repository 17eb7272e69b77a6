/** The documents that are made from the code, and the ones that must speak of the same things. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schemaProblem } from "../server/src/schema/json-schema.ts";
import { requestParams } from "../server/src/protocol/methods.ts";
import type { ToolInfo } from "../server/src/protocol/tool-shapes.ts";
import { PROFILES } from "../server/src/doors/mcp/told-tools.ts";
import { OPS } from "../server/src/tools/edit-schema.ts";
import { settingsSchema } from "../server/src/settings/settings-schema.ts";
import { ServerClient } from "./support/server-client.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Every file of the repository, from its root. */
const files = globSync(
  "{*,.ci/*,{bench,bin,client-emacs,client-nvim,client-vscode,docs,examples,lua,plugin,scripts,server,skills,test}/**/*}",
  {
    cwd: root,
    exclude: ["**/node_modules"],
  },
);
const contributorPages = [
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "docs/kept-data.md",
  "docs/rules.md",
  "docs/security.md",
  ...files.filter((file) => /^docs\/decisions\/.*\.md$/.test(file)),
];
const read = (name: string): string => readFileSync(`${root}${name}`, "utf8");

let client: ServerClient;
let tools: readonly ToolInfo[];

beforeAll(async () => {
  client = new ServerClient();
  await client.initialize([]);
  tools = (await client.request("agentq/listTools", {})).items;
});
afterAll(() => client.close());

describe("docs", () => {
  it("list every tool as the registry has it (docs/tools.md; update with vitest -u)", async () => {
    await expect(toolsPage(tools)).toMatchFileSnapshot("../docs/tools.md");
  });

  it("give every tool and every request a valid JSON Schema", () => {
    const schemas = [...tools.map((tool) => tool.inputSchema), ...Object.values(requestParams)];
    expect(schemas.map((schema) => schemaProblem(schema)).filter((problem) => problem !== undefined)).toEqual([]);
  });

  it("give every parameter of every tool a type", () => {
    const untyped = tools.flatMap(({ name, inputSchema }) => {
      const { properties = {} } = inputSchema as { properties?: Record<string, object> };
      const wrong = Object.entries(properties).filter(([, each]) => !("type" in each || "enum" in each));
      return wrong.map(([parameter]) => `${name}: ${parameter}`);
    });
    expect(untyped).toEqual([]);
  });

  it("name in the skill only tools that hosts are told of, and its notes are those that the tools say", () => {
    const skill = read("skills/agentq/SKILL.md");
    const named = [...skill.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = ""]) => name);
    const parameters = ["timeout_ms", ...OPS];
    const known = new Set([...parameters, ...Object.keys(PROFILES.both)]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    const [, front = ""] = skill.split(/^---$/m);
    expect(front).toMatch(/^\nname: agentq\ndescription: .{1,1024}\n/);
    expect(skill.split("\n").length).toBeLessThanOrEqual(120);
    const sources = ["mcp/tool-calls.ts", "handover/handover-socket.ts"].map((name) =>
      read(`server/src/doors/${name}`),
    );
    for (const [, note = ""] of skill.matchAll(/^- \*(?:… )?([^*]+?)(?:that of Neovim, which[^*]*)?\*:/gm)) {
      expect(sources.join("\n")).toContain(note);
    }
  });

  it("name in docs/protocol.md exactly the methods that exist", () => {
    const methods = ["methods", "buffer-methods"].map((name) => read(`server/src/protocol/${name}.ts`)).join("\n");
    const known = new Set([...methods.matchAll(/"(agentq\/\w+)"/g)].map((match) => match[1]));
    const named = new Set([...read("docs/protocol.md").matchAll(/`(agentq\/\w+)/g)].map((match) => match[1]));
    expect([...named].toSorted(), "name each method of protocol/methods.ts, and no other").toEqual(
      [...known].toSorted(),
    );
  });

  it("name in docs/protocol.md exactly the settings that exist", () => {
    const { properties } = settingsSchema;
    const inParts = ["repl", "proposals", "commands", "sessions"] as const;
    const inner = inParts.flatMap((name) => Object.keys(properties[name].properties).map((part) => `${name}.${part}`));
    const known = [...Object.keys(properties).filter((name) => !inParts.some((each) => each === name)), ...inner];
    const section = /### initializationOptions\n([^]*?)\n###/.exec(read("docs/protocol.md"))?.[1] ?? "";
    const named = new Set([...section.matchAll(/`((?:[a-z]\w+\.)?[a-z]\w+)`/gi)].map((match) => match[1]));
    const missing = known.filter((name) => !named.has(name));
    expect(missing, "give each a row of the table below initializationOptions").toEqual([]);
    const rows = [...section.matchAll(/^\| `([\w.]+)`/gm)].map((match) => match[1]);
    const gone = rows.filter((name) => !known.includes(name ?? ""));
    expect(gone, "settings.ts has no such setting: take its row away").toEqual([]);
  });

  it("link only to files that are there", () => {
    const wrong = ["README.md", ...contributorPages].flatMap((page) => {
      const links = [...read(page).matchAll(/\]\((?!http)([^)#]+)/g)].map(([, link]) => link ?? "");
      return links.filter((link) => !existsSync(`${root}${dirname(page)}/${link}`)).map((link) => `${page}: ${link}`);
    });
    expect(wrong).toEqual([]);
  });

  it("name only files and folders that are there, where they speak of the code", () => {
    const wrong = contributorPages.flatMap((page) => {
      const named = [...read(page).matchAll(/`([^`\s]+(?:\/|\.(?:[cm]?[jt]s|el|lua|md|json)))`/g)].map(
        ([, name]) => name ?? "",
      );
      return named
        .filter((name) => !files.some((file) => `/${file}`.includes(`/${name}`)))
        .map((name) => `${page}: ${name}`);
    });
    expect(wrong, "a name may leave out the folders in front of it").toEqual([]);
  });
});

/** What most tools take, told once. */
const SHARED = `| parameter | meaning |
|---|---|
| \`symbol\` | an address: \`name\`, \`Outer.member\`, \`src/file.ts#Outer.member\`, \`pkg#Export\`, \`#2\` for an overload |
| \`path\` | a file or folder, from the workspace folder on; of a question to the compiler also a package or a tsconfig, where to look |
| \`limit\`, \`cursor\` | how many entries; the \`nextCursor\` of the answer on which to read on |
| \`edits\` | edits as \`propose_edits\` takes them, which count as made for this call alone |
| \`timeout_ms\` | milliseconds after which the call is stopped: 30,000 by default, 120,000 for tests and commands |
`;

const HEAD = `# Tools

Made from the registry; change the tool, not this page. \`agentq tool NAME --help\` tells what each parameter takes, \`agentq/listTools\` has the
schemas. \`?\` marks what may be left out.

${SHARED}`;

const SAFETY = {
  safe: "Safe: runs at once, changes nothing",
  cautious: "Cautious: runs, and is recorded",
  dangerous: "Dangerous: waits for your decision",
} as const;

function toolsPage(items: readonly ToolInfo[]): string {
  const offered = items.filter(({ isOffered }) => isOffered !== false);
  const others = items.filter(({ isOffered }) => isOffered === false);
  const parts = Object.entries(SAFETY).map(([safety, words]) => {
    const rows = tableOf(offered.filter((tool) => tool.safety === safety));
    return `## ${words}\n\n${rows}`;
  });
  const aliases = Object.groupBy(others, ({ description }) => (ALIAS.test(description) ? "names" : "tools"));
  const more = ["## For programs\n\nModels are not told of these.\n", tableOf(aliases.tools ?? [])];
  return [HEAD, ...parts, ...more, "## Other names of tools\n", tableOfNames(aliases.names ?? [])].join("\n");
}

const ALIAS = / Another name of (\w+)\.$/;

function tableOfNames(items: readonly ToolInfo[]): string {
  const rows = items.map((tool) => {
    const [, leadsTo = ""] = ALIAS.exec(tool.description) ?? [];
    const what = tool.description.replace(ALIAS, "").replaceAll("|", "\\|");
    return `| \`${tool.name}\` | \`${leadsTo}\` | ${what} | ${parametersOf(tool)} |`;
  });
  return `${["| name | tool | what for | parameters |", "|---|---|---|---|", ...rows].join("\n")}\n`;
}

function tableOf(items: readonly ToolInfo[]): string {
  const rows = items.map((tool) => {
    const what = purposeOf(tool.description).replaceAll("|", "\\|");
    const kinds = [...(tool.isOffered === false ? [tool.safety] : []), ...tool.categories];
    return `| \`${tool.name}\` | ${what} | ${parametersOf(tool)} | ${kinds.join(", ")} |`;
  });
  return `${["| tool | what for | parameters | categories |", "|---|---|---|---|", ...rows].join("\n")}\n`;
}

/** The first sentence, and those that say who is asked. */
function purposeOf(description: string): string {
  const [first = "", ...others] = description.split(/(?<=[.:])\n|(?<=\.) (?=[A-Z])/);
  return [first, ...others.filter((each) => /\basked\b/.test(each))].join(" ");
}

function parametersOf({ inputSchema }: ToolInfo): string {
  const schema = inputSchema as { properties?: Record<string, unknown>; required?: string[] };
  const names = Object.keys(schema.properties ?? {});
  return names.map((name) => `\`${name}${schema.required?.includes(name) === true ? "" : "?"}\``).join(", ");
}
