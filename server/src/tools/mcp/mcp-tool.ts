/** A tool of the registry that is a tool of another server: its words are quoted, its safety is the person's to set. */
import { fenced } from "../../base/fenced.ts";
import type { JsonSchema } from "../../protocol/shapes.ts";
import { redacted } from "../../storage/redaction.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import { createTool, ToolFailure, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { answerText } from "./answer-text.ts";
import type { CallAnswer, ListedTool } from "./connection.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { McpServer } from "./mcp-server.ts";
import { serverCategory, toolName } from "./names.ts";
import { takenSchema } from "./taken-schema.ts";
import { whyFailed } from "./why-failed.ts";

export interface McpToolPorts {
  readonly answers: KeptAnswers;
  /** Shows what the server says of its progress until the call is over. */
  readonly progress: (title: string) => { readonly report: (words: string) => void; readonly end: () => void };
}

const MAX_SCHEMA = 16_000;
const MAX_DESCRIPTION = 1_500;
const MAX_PARAMETER_DESCRIPTION = 500;
/** As deep as any schema that a model fills in. */
const MAX_DEPTH = 30;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** The tool, `undefined` for one that the person turned off. Throws a sentence for one that cannot be offered. */
export function mcpTool(server: McpServer, listed: ListedTool, ports: McpToolPorts): Tool | undefined {
  const { name: own } = listed;
  if (typeof own !== "string" || own === "") throw new Error("a tool has no name");
  const { plan } = server;
  const level = Object.hasOwn(plan.tools, own) ? plan.tools[own] : plan.safety;
  if (level === "off") return undefined;
  const name = toolName(plan.name, own);
  const { schema, alternatives, toOwn } = takenSchema(inputSchema(listed.inputSchema));
  const says = `Tool ${plainLine(own, 80)} of the MCP server ${plan.name}, which says of it: "${said(listed)}"`;
  const tool = createTool({
    name,
    description: alternatives === undefined ? says : `${says} ${plainLine(alternatives, MAX_PARAMETER_DESCRIPTION)}`,
    inputSchema: schema,
    safety: level ?? "dangerous",
    categories: ["mcp", serverCategory(plan.name)],
    timeoutMs: plan.timeoutMs,
    invoke: (args, context) => run({ server, own, ports }, toOwn(args), context),
  });
  return Object.freeze({ ...tool, unavailable: () => server.whyDown() });
}

function said({ description, title }: ListedTool): string {
  const words = [description, title].find((each) => typeof each === "string" && each.trim() !== "");
  return plainLine(typeof words === "string" ? words : "nothing", MAX_DESCRIPTION);
}

function inputSchema(given: unknown): JsonSchema {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw new Error("its input schema is none");
  const text = JSON.stringify(given);
  if (text.length > MAX_SCHEMA)
    throw new Error(`its input schema has ${text.length} characters of at most ${MAX_SCHEMA}`);
  const schema = withPlainWords(given, 0) as JsonSchema;
  return { properties: {}, ...schema, type: schema["type"] ?? "object" };
}

/** Descriptions in one line each, with nothing hidden in them. */
function withPlainWords(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new Error(`its input schema is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) return value.map((each) => withPlainWords(each, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]): [string, unknown] => {
      if (typeof each !== "string") return [name, withPlainWords(each, depth + 1)];
      const isWords = name === "description" || name === "title";
      return [name, isWords ? plainLine(each, MAX_PARAMETER_DESCRIPTION) : each];
    }),
  );
}

interface Called {
  readonly server: McpServer;
  readonly own: string;
  readonly ports: McpToolPorts;
}

async function run(
  { server, own, ports }: Called,
  args: Readonly<Record<string, unknown>>,
  { signal }: ToolContext,
): Promise<ToolAnswer> {
  const { name, secrets } = server.plan;
  const from = `The MCP server ${name}`;
  const clean = (text: string): string => redacted(text, secrets, NO_LIMIT);
  // Most calls are over before the server says anything.
  let shown: ReturnType<McpToolPorts["progress"]> | undefined;
  let answer: CallAnswer;
  try {
    const onProgress = (words: string): void => {
      shown ??= ports.progress(`${name}: ${plainLine(own, 80)}`);
      shown.report(plainLine(clean(words), 200));
    };
    answer = await server.call(own, args, { signal, onProgress });
  } catch (error) {
    if (error instanceof ToolFailure || signal.aborted) throw error;
    throw new ToolFailure(
      server.whyDown() ?? fenced(`${from} refused the call:`, clean(whyFailed(error)).slice(0, 4_000)),
    );
  } finally {
    shown?.end();
  }
  const text = clean(answerText(answer));
  const page = text === "" ? { content: `${from} answered nothing.` } : ports.answers.add(from, text);
  if (answer.isError !== true) return page;
  throw new ToolFailure(`${from} says that the call failed.\n${page.content}`);
}
