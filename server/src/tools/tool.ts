/** What a tool is, and the one way to make one. Making a tool has no side effect; a tool is immutable and shareable. */
import { schemaProblem } from "../schema/json-schema.ts";
import type { SchemaType } from "../schema/schema-type.ts";
import type { JsonSchema, SafetyLevel } from "../protocol/shapes.ts";
import type { AuditEntry, ToolResult } from "../protocol/tool-shapes.ts";
import type { Stretch } from "../proposals/texts/hunks.ts";
import type { DocumentText } from "../workspace/documents.ts";
import { given } from "../base/given.ts";
import { offeredSchema, type ToldParameters } from "./offered-schema.ts";
import { problemWithTool, SAFETY_LEVELS } from "./tool-rules.ts";

/** What a tool answers: text made for a model, and how complete it is. */
export interface ToolAnswer {
  readonly content: string;
  /** False when part of the truth is missing; `notes` must then say which part. Default true. */
  readonly complete?: boolean;
  readonly truncated?: boolean;
  readonly nextCursor?: string;
  readonly notes?: readonly string[];
  /** What the text tells of, as data; asked for when a person or a program called. */
  readonly lists?: () => Pick<ToolResult, "places" | "tests" | "diagnostics" | "evaluation">;
}

export interface ToolContext {
  readonly callId: string;
  readonly sessionId?: string;
  /** Who asked: a model's turn, or a person or program through `agentq/callTool`. */
  readonly caller: "model" | "person";
  /** The program whose model asks, where it is not the server's own. */
  readonly host?: string;
  readonly signal: AbortSignal;
  /** A tool that asks the person itself calls this when it begins to wait for them, and not before. */
  readonly onWaiting?: () => void;
  /** Such a tool calls this when the wait is over, with what the person decided. */
  readonly onReviewed?: (hunks: readonly ReviewedHunk[]) => void;
  /** Aborts when the person ends the turn after the running calls: what waits for them beside those is withdrawn. */
  readonly stopped?: AbortSignal;
  /**
   * A tool that asks the person itself waits for this after the decision: then the calls before this one in its reply
   * are over, and the answer is true of the project after them.
   */
  readonly untilEarlier?: () => Promise<void>;
  /** A tool calls this for each text that its answer depends on, when the answer depends on nothing else. */
  readonly onRead?: (read: ReadText) => void;
}

/** A document's text, and the stretches of it that an answer shows. */
export interface ReadText extends Pick<DocumentText, "uri" | "text" | "sha256"> {
  readonly stretches: readonly Stretch[];
}

/** What the person decided about one hunk of a proposal, for the record. */
export type ReviewedHunk = NonNullable<AuditEntry["hunks"]>[number];

/**
 * Whether the person must be asked about a call. `refused` is the sentence for a call that cannot run at all;
 * `because` goes into the audit log of one that runs unasked, and tells the person why they are asked. `run` takes
 * the place of the tool's own, for these arguments. With `about` the person is asked about these arguments, and an
 * approval is remembered for them, where the call's own say more or less than what the person decides about.
 */
export type ApprovalNeed =
  | {
      readonly ask: true;
      readonly because?: string;
      readonly about?: Readonly<Record<string, unknown>>;
      readonly run?: Tool["run"];
    }
  | { readonly ask: false; readonly because?: string; readonly run?: Tool["run"] }
  | { readonly refused: string };

/** Contract: finds out without effects, for valid arguments; may itself wait for the person. A throw means: ask. */
export type NeedsApproval<Args> = (args: Args, context: ToolContext) => Promise<ApprovalNeed>;

/**
 * Contract: `run` gets arguments that satisfy `inputSchema`. It may throw: the executor answers with the message.
 * An expected failure throws `ToolFailure`; its message is written for the model. It must stop on `context.signal`.
 * A `ToolAnswer` or a text is answered as it is, `undefined` and `null` as "nil", any other value as its JSON.
 */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The safety of a call made now: some tools become dangerous when the REPL is opened. */
  readonly safety: SafetyLevel;
  /** The safety of one call, where the arguments decide. */
  readonly safetyOf?: (args: Readonly<Record<string, unknown>>) => SafetyLevel;
  /** Whether the safety depends on what holds programs here. */
  readonly isJudgedLate: boolean;
  readonly categories: readonly string[];
  readonly inputSchema: JsonSchema;
  /** The same for models. */
  readonly offeredSchema: JsonSchema;
  /** Deadline of one call in milliseconds; null for tools that wait for a person. */
  readonly timeoutMs: number | null;
  /**
   * True when `run` itself asks the person before anything changes (a proposal is its own approval), so that the
   * executor must not ask a second time.
   */
  readonly asksItself: boolean;
  /** Whether `run`, once it is cancelled, says within moments what it has done by then. */
  readonly saysItsEnd: () => boolean;
  /**
   * The files that a call proposes to change, by names that can be compared; undefined where nobody knows. Calls of one
   * reply that change different files wait for the person together. The arguments are as the model sent them.
   */
  readonly filesOf?: (args: Readonly<Record<string, unknown>>) => readonly string[] | undefined;
  /** Without this function every call of a dangerous tool needs approval, and no other call. */
  readonly needsApproval?: NeedsApproval<Readonly<Record<string, unknown>>>;
  /** False for a tool outside of the core: people and programs call it, and models are told of it where a setting says so. */
  readonly isOffered: boolean;
  /** For another name of a tool: that tool, and the arguments that it is called with. */
  readonly leadsTo?: LeadsTo;
  /** Why the tool cannot run here and now, or undefined when it can. */
  readonly unavailable: () => string | undefined;
  readonly run: (args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<ToolResultValue>;
}

export interface LeadsTo {
  readonly tool: Tool;
  readonly as: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** Any other value (a handler from elsewhere may give back anything) is answered as JSON. */
export type ToolResultValue = ToolAnswer | string | null | undefined | void;

/** An expected failure whose message tells the model what to do next. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

export interface ToolDefinition<Schema extends JsonSchema> {
  readonly name: string;
  /** A function where the tool works in different ways on different machines. */
  readonly description: string | (() => string);
  readonly input: Schema;
  /** `safe` when absent. */
  readonly safety?: SafetyLevel | (() => SafetyLevel);
  readonly categories?: readonly string[];
  readonly timeoutMs?: number | null;
  readonly asksItself?: boolean;
  /** As `asksItself` when absent. */
  readonly saysItsEnd?: () => boolean;
  readonly filesOf?: Tool["filesOf"];
  /** True when absent. */
  readonly isOffered?: boolean;
  readonly leadsTo?: LeadsTo;
  /** What models are told of the parameters; "whole" for the schema as it is. */
  readonly told?: ToldParameters | "whole";
  readonly needsApproval?: NeedsApproval<SchemaType<Schema>>;
  readonly unavailable?: () => string | undefined;
  readonly run: (args: SchemaType<Schema>, context: ToolContext) => Promise<ToolResultValue>;
}

const DEFAULT_TIMEOUT_MS = 60_000;

export interface ForeignTool extends Partial<Pick<Tool, "safety" | "categories" | "timeoutMs">> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly invoke: (args: Readonly<Record<string, unknown>>, context: ToolContext) => unknown;
}

/**
 * A tool from any JSON Schema (draft 2020-12, 2019-09 or 07, told by `$schema`), for tools that are not written here:
 * safe unless `safety` says otherwise. A `format` of `formats.ts` is enforced, any other is a remark. Throws when the schema
 * is not a valid one, or when the tool breaks another rule.
 */
export function createTool({ inputSchema, invoke, ...definition }: ForeignTool): Tool {
  const { name } = definition;
  const problem = schemaProblem(inputSchema);
  if (problem !== undefined) throw new Error(`The input schema of ${name} is not a JSON Schema: ${problem}.`);
  if (typeof invoke !== "function") throw new Error(`Tool "${name}" cannot be made: it has no handler.`);
  const run = async (args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResultValue> =>
    (await invoke(args, context)) as ToolResultValue;
  return defineTool({ ...definition, input: inputSchema, told: "whole", run: run as never });
}

/** Throws when the tool breaks a rule (`tool-rules.ts`). */
export function defineTool<const Schema extends JsonSchema>(definition: ToolDefinition<Schema>): Tool {
  const { description, safety = "safe", needsApproval, timeoutMs = DEFAULT_TIMEOUT_MS } = definition;
  const tool: Tool = {
    name: definition.name,
    get description() {
      return typeof description === "function" ? description() : description;
    },
    get safety() {
      return typeof safety === "function" ? safety() : safety;
    },
    isJudgedLate: typeof safety === "function",
    categories: Object.freeze([...(definition.categories ?? [])]),
    inputSchema: frozenCopy(definition.input),
    offeredSchema: frozenCopy(
      definition.told === "whole" ? definition.input : offeredSchema(definition.input, definition.told ?? {}),
    ),
    timeoutMs,
    asksItself: definition.asksItself ?? false,
    saysItsEnd: definition.saysItsEnd ?? (() => definition.asksItself ?? false),
    isOffered: definition.isOffered ?? true,
    ...given({ filesOf: definition.filesOf, leadsTo: definition.leadsTo }),
    ...(needsApproval === undefined ? {} : { needsApproval: needsApproval as NonNullable<Tool["needsApproval"]> }),
    unavailable: definition.unavailable ?? (() => undefined),
    // The executor validates the arguments against inputSchema before it calls run.
    run: definition.run as Tool["run"],
  };
  // A safety that is a function is asked at each call; here it may be too early to ask.
  const problem = problemWithTool(typeof safety === "function" ? { ...tool, safety: SAFETY_LEVELS[0] } : tool);
  if (problem !== undefined) throw new Error(`Tool "${tool.name}" cannot be made: ${problem}.`);
  return Object.freeze(tool);
}

/** A copy, so that nothing that the tool's maker changes later changes the tool. */
function frozenCopy<Value>(value: Value): Value {
  return deepFrozen(structuredClone(value));
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values(value)) deepFrozen(each);
  return Object.freeze(value);
}
