/** How a question is put to the tools here and to cclsp. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import type { LspClient } from "../support/lsp-client.ts";
import type { McpClient } from "../support/mcp-client.ts";
import type { Question, QuestionKind } from "./questions.ts";
import type { Text } from "./recall.ts";

const TOOLS: Readonly<Record<QuestionKind, readonly [tool: string, parameter: string]>> = {
  callers: ["who_calls", "symbol"],
  references: ["who_references", "symbol"],
  members: ["class_slots", "symbol"],
  subclasses: ["class_hierarchy", "symbol"],
  implementations: ["find_implementations", "symbol"],
  signature: ["describe_symbol", "symbol"],
  exports: ["list_package_symbols", "path"],
  names: ["apropos_search", "pattern"],
};

/** The tool's answer, read on to its end. Undefined when there is no such tool in this build. */
export async function askTools(client: LspClient, question: Question): Promise<readonly Text[] | undefined> {
  const [name, parameter] = TOOLS[question.kind];
  const { file } = question;
  const about = file === undefined || question.name === "" ? (file ?? question.name) : `${file}#${question.name}`;
  const texts: Text[] = [];
  let cursor: string | undefined;
  do {
    const args = { [parameter]: about, ...(cursor === undefined ? {} : { cursor }) };
    const result = await client.request<ToolResult>("agentq/callTool", { name, arguments: args });
    if (!result.success && /^Unknown tool/.test(result.error ?? "")) return undefined;
    if (!result.success) throw new Error(`${name}: ${result.error ?? ""}`);
    texts.push({ text: result.content ?? "" });
    cursor = result.metadata.nextCursor;
  } while (cursor !== undefined);
  return texts;
}

/** Asks cclsp's nearest tool, and reads the file where cclsp has none. */
export async function askCclsp(client: McpClient, folder: string, question: Question): Promise<readonly Text[]> {
  const { file, name, kind } = question;
  if (file === undefined)
    return [
      {
        text: (await client.callTool("find_workspace_symbols", { query: name })).replaceAll(
          folder,
          "/home/user/project",
        ),
      },
    ];
  const read: Text = { file, text: readFileSync(path.join(folder, file), "utf8") };
  if (kind === "exports") return [read];
  const absolute = path.join(folder, file);
  const at = { file_path: absolute, ...positionOf(read.text, name) };
  const call = async (tool: string, args: object): Promise<Text> => {
    let text = await client.callTool(tool, args);
    // cclsp gives up on its language server after 30 s, which a large project may take to load.
    for (let more = 0; more < 5 && /timeout/i.test(text); more += 1) text = await client.callTool(tool, args);
    // The answers name files by their absolute paths, which have this length on an ordinary machine.
    return { text: text.replaceAll(folder, "/home/user/project") };
  };
  const own = name.split(".").at(-1) ?? name;
  if (kind === "callers") return [await call("get_incoming_calls", at)];
  if (kind === "references") return [await call("find_references", { file_path: absolute, symbol_name: own })];
  if (kind === "signature") return [await call("get_hover", at)];
  if (kind === "members") return [await call("find_definition", { file_path: absolute, symbol_name: own }), read];
  const places = await call("find_implementation", at);
  return [places, linesAt(folder, places.text)];
}

/** cclsp names places without the code that stands there, so the agent reads those lines. */
function linesAt(folder: string, text: string): Text {
  const places = [...text.matchAll(/(src\/\S+?\.tsx?):(\d+)/g)];
  const lines = places.map(([, file = "", line = ""]) => {
    const texts = readFileSync(path.join(folder, file), "utf8").split("\n");
    return `${file}:${line}:${texts[Number(line) - 1] ?? ""}`;
  });
  return { text: lines.join("\n") };
}

/** Where the name's declaration stands, counted from 1. */
function positionOf(text: string, name: string): { line: number; character: number } {
  const [outer = "", member] = name.split(".");
  const lines = text.split("\n");
  const found = (pattern: RegExp, from: number): { line: number; character: number } => {
    for (const [index, line] of lines.entries()) {
      const before = index < from ? undefined : pattern.exec(line)?.[1];
      if (before !== undefined) return { line: index + 1, character: before.length + 1 };
    }
    throw new Error(`no declaration of ${name}`);
  };
  const declaration = String.raw`^(export (?:async |abstract )?(?:function|class|interface|const|type) )`;
  const owner = found(new RegExp(String.raw`${declaration}${outer}\b`), 0);
  return member === undefined ? owner : found(new RegExp(String.raw`^(\s+(?:\w+ )*)${member}\b[^.]*[({:]`), owner.line);
}
