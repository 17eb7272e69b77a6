/** `agentq tool`: lists the tools, tells their parameters, calls one. */
import { parseArgs } from "node:util";
import { Conversation } from "../client/conversation.ts";
import type { JsonSchema } from "../protocol/shapes.ts";
import type { ToolInfo, ToolResult } from "../protocol/tool-shapes.ts";
import { nearestNames } from "../base/spelling.ts";
import { answerOptions, answerOptionsOf, Answers } from "./answers.ts";
import { clip, plain, wrapped, type Screen } from "./screen.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError, type Stage } from "./stage.ts";

const HELP = `usage: agentq tool                          list the tools
       agentq tool NAME --help              tell what a tool does, and its parameters
       agentq tool NAME key=value ...       call it on the project in the current folder

A value is taken as text where the parameter is a text, and else read as JSON: limit=5, symbol=Cart, kinds='["class"]'.

  --json           print the tool's whole answer, or the list, as JSON
  --apply          write edits to the files; without it they are printed as a patch, and nothing is changed
  --yes-to reads   allow calls that only look, where a rule of yours has them asked about

Exit codes: 0 the tool succeeded, 1 it failed, 2 the command line makes no sense (no such tool, a wrong key=value),
4 the call needed a yes and nobody could be asked, 130 Ctrl-C.
`;

const PARAMETER_WIDTH = 24;

export async function runTool(args: readonly string[], stage: Stage): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: answerOptions });
  const options = answerOptionsOf(values);
  const [name, ...pairs] = positionals;
  if (name === undefined && values.help) {
    stage.out.write(HELP);
    return EXIT.ok;
  }
  const client = await stage.server();
  const { items } = await client.request("agentq/listTools", {});
  if (name === undefined) {
    if (values.json) stage.out.line(JSON.stringify(items, undefined, 2));
    else showList(stage.out, items);
    return EXIT.ok;
  }
  const tool = items.find((each) => each.name === name);
  if (tool === undefined) {
    const [near] = nearestNames(
      name,
      items.map((each) => each.name),
      1,
    );
    throw new UsageError(`There is no tool "${name}".${near === undefined ? "" : ` Is "${near}" meant?`}`);
  }
  if (values.help) {
    showTool(stage.out, tool);
    return EXIT.ok;
  }
  const answers = new Answers(stage, client, options);
  const calls = new Conversation({
    review: answers.review,
    approve: answers.approve,
    client,
    folder: stage.folder,
    show: () => undefined,
  });
  let isInterrupted = false;
  stage.onInterrupt = () => {
    isInterrupted = true;
    void client.request("agentq/interrupt", {}).catch(() => undefined);
  };
  const result = await client.request("agentq/callTool", { name, arguments: argumentsOf(tool, pairs) });
  await calls.settled();
  if (values.json) stage.out.line(JSON.stringify({ ...result, patch: answers.patch }, undefined, 2));
  else showResult(stage, result, answers.patch);
  if (isInterrupted) return EXIT.interrupted;
  if (answers.denied.length > 0) return EXIT.needsYes;
  // The server alone knows every word that a tool takes.
  if (result.error?.startsWith(`The arguments of ${name} are not valid;`) === true) return EXIT.usage;
  return result.success ? EXIT.ok : EXIT.failed;
}

/** A patch is alone on standard output, for `git apply`. */
function showResult({ out, errors, host }: Stage, result: ToolResult, patch: string): void {
  const shown = (text: string): string => (host.stdout.isTTY ? plain(text) : text);
  const words = result.success ? result.content : (result.error ?? "failed");
  if (patch === "" && result.success) out.line(shown(words));
  else errors.line(plain(words));
  if (patch !== "") out.write(shown(patch));
  for (const note of result.metadata.notes ?? []) errors.line(errors.paint("dim", `note: ${plain(note)}`));
  const { nextCursor } = result.metadata;
  if (nextCursor !== undefined) errors.line(errors.paint("dim", `note: there is more, with cursor=${nextCursor}`));
}

function showList(out: Screen, tools: readonly ToolInfo[]): void {
  const column = Math.max(...tools.map(({ name }) => name.length)) + 2;
  for (const { name, description, available } of tools) {
    const about = `${available ? "" : "(not available) "}${plain(description).replace(/\s+/g, " ")}`;
    out.line(`${plain(name).padEnd(column)}${clip(about, Math.max(20, out.width - column))}`);
  }
}

function showTool(out: Screen, tool: ToolInfo): void {
  out.line(`${out.paint("bold", plain(tool.name))} (${tool.safety})`);
  if (!tool.available) out.line(out.paint("yellow", plain(tool.unavailableReason ?? "not available")));
  for (const line of wrapped(plain(tool.description), out.width)) out.line(line);
  const { required } = tool.inputSchema as { readonly required?: readonly string[] };
  const all = Object.entries(propertiesOf(tool));
  out.line();
  if (all.length === 0) out.line("No parameters.");
  for (const [key, schema] of all) {
    const must = required?.includes(key) === true ? ", required" : "";
    out.line(`  ${out.paint("bold", plain(key).padEnd(PARAMETER_WIDTH))}${plain(typeWords(schema))}${must}`);
    const { description } = schema;
    if (typeof description !== "string") continue;
    for (const line of wrapped(plain(description), out.width - 6)) out.line(`      ${line}`);
  }
}

function propertiesOf(tool: ToolInfo): Readonly<Record<string, JsonSchema>> {
  const { properties = {} } = tool.inputSchema as { readonly properties?: Record<string, JsonSchema> };
  return properties;
}

function typeWords(schema: JsonSchema): string {
  const { enum: values, type } = schema;
  if (Array.isArray(values)) return values.map((value) => String(value)).join(" | ");
  return Array.isArray(type) ? type.join(" | ") : typeof type === "string" ? type : "JSON";
}

/** Throws a `UsageError` that names the pair. Whether the values fit is the server's word. */
export function argumentsOf(tool: ToolInfo, pairs: readonly string[]): Record<string, unknown> {
  const properties = propertiesOf(tool);
  const known = Object.keys(properties);
  const isOpen = tool.inputSchema["additionalProperties"] !== false;
  const result: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, key, value] = /^([^=]+)=([^]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) throw new UsageError(`"${pair}" is not of the form key=value.`);
    const schema = properties[key];
    // A tool takes other words for some of its parameters, which its schema does not list.
    result[key] = valueOf(key, value, schema);
    if (schema !== undefined || isOpen) continue;
    const [near] = nearestNames(key, known, 1);
    const list = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
    if (near !== undefined)
      throw new UsageError(`${tool.name} has no parameter "${key}": ${list}. Is "${near}" meant?`);
  }
  return result;
}

function valueOf(key: string, value: string, schema: JsonSchema | undefined): unknown {
  const { type, enum: values } = schema ?? {};
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const isText = schema === undefined || types.includes("string") || values?.toString().split(",").includes(value);
  if (isText) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    // A schema without a type takes a text as well.
    if (type === undefined) return value;
    throw new UsageError(`${key} takes JSON of the type ${typeWords(schema)}, which "${value}" is not.`);
  }
}
