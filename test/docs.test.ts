/** The documents that are made from the code, and the ones that must speak of the same things. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schemaProblem } from "../server/src/schema/json-schema.ts";
import { requestParams } from "../server/src/protocol/methods.ts";
import type { ToolInfo } from "../server/src/protocol/tool-shapes.ts";
import { settingsSchema } from "../server/src/settings/settings-schema.ts";
import { ServerClient } from "./support/server-client.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Every file of the repository, from its root. */
const files = globSync(
  "{*,.ci/*,{bench,bin,client-emacs,client-nvim,client-vscode,docs,examples,lua,plugin,scripts,server,test}/**/*}",
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
    expect(toolsPage(tools)).not.toContain("| any |");
  });

  it("give every tool and every request a valid JSON Schema", () => {
    const schemas = [...tools.map((tool) => tool.inputSchema), ...Object.values(requestParams)];
    expect(schemas.map((schema) => schemaProblem(schema)).filter((problem) => problem !== undefined)).toEqual([]);
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

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Property;
  readonly description?: string;
}

function typeOf({ type, enum: values, items }: Property): string {
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if (items !== undefined) return `${String(type)} of ${typeOf(items)}`;
  return type === undefined ? "any" : [type].flat().join(" or ");
}

function toolsPage(items: readonly ToolInfo[]): string {
  const parts = items.map((tool) => {
    const schema = tool.inputSchema as {
      properties?: Record<string, Property>;
      required?: string[];
    };
    const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const optional = schema.required?.includes(name) === true ? "" : " (optional)";
      return `| \`${name}\`${optional} | ${typeOf(property)} | ${property.description ?? ""} |`;
    });
    const table = rows.length === 0 ? ["No parameters."] : ["| parameter | type | meaning |", "|---|---|---|", ...rows];
    return [
      `## ${tool.name}`,
      "",
      `${tool.safety} · ${tool.categories.join(", ")}${tool.isOffered === false ? " · for programs, models are not told" : ""}`,
      "",
      tool.description,
      "",
      ...table,
      "",
    ].join("\n");
  });
  const head =
    "# Tools\n\nMade from the registry; change the tool, not this page.\n\n- **safe**: runs at once, changes nothing.\n- **cautious**: runs, and is recorded.\n- **dangerous**: waits for your decision.\n";
  return `${head}\n${parts.join("\n")}`;
}
