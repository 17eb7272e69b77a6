/**
 * A tool that puts one question to the compiler: the tool's own file says what is asked and how the answer reads, this
 * file the rest.
 */
import type { SchemaType } from "../../schema/schema-type.ts";
import type { JsonSchema } from "../../protocol/shapes.ts";
import { parseAddress } from "../../typescript/names/address.ts";
import { doubtUnread, doubtUses } from "../../typescript/xref/references/unread-mentions.ts";
import { folderOrModule } from "../../typescript/names/tree/module-scope.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import type { ToldParameters } from "../offered-schema.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { answerFrom, explainResolution, place } from "../answers/answer-text.ts";

type Answer = ToolAnswer | Promise<ToolAnswer>;

interface Question<Schema extends JsonSchema> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  /** Besides "introspection". */
  readonly categories?: readonly string[];
  readonly timeoutMs?: number;
  readonly isOffered?: boolean;
  /** Besides an address, which the system prompt explains. */
  readonly told?: ToldParameters;
  /** Answers in place of the question, for what is another one. */
  readonly instead?: (args: SchemaType<Schema>, context: ToolContext) => Promise<ToolAnswer> | undefined;
}

interface ViewQuestion<Schema extends JsonSchema, Ready> extends Question<Schema> {
  readonly answer: (view: View, args: SchemaType<Schema>, context: ToolContext, ready: Ready | undefined) => Answer;
  /** Waited for before the query begins, for what waits for queries itself. */
  readonly ready?: (args: SchemaType<Schema>, context: ToolContext) => Promise<Ready>;
}

/** The one required parameter is the symbol's address; `path` says where to look for it. */
type SymbolSchema = JsonSchema & { readonly required: readonly [string] };

/** Whether a use in the file was asked for; undefined where all were. */
export type Within = ((use: { readonly file: string }) => boolean) | undefined;

interface SymbolQuestion<Schema extends SymbolSchema> extends Question<Schema> {
  /** Refuses an empty address; without it the resolution explains what is wrong with it. */
  readonly whenNameless?: string;
  readonly answer: (view: View, target: SymbolTarget, args: SchemaType<Schema>, within: Within) => Answer;
  /** For a tool that has an answer for a whole module too. */
  readonly answerModule?: (view: View, file: string, args: SchemaType<Schema>) => Answer;
  /** Whether the answer says who mentions the symbol; then files that the compiler does not read matter too. */
  readonly isAboutMentions?: boolean;
  /** Whether the answer can leave out uses that were not asked for. */
  readonly hasUsesWithin?: boolean;
}

/** An interface with hundreds of subtypes costs the compiler a question about each of them, the first time. */
export const HIERARCHY_TIMEOUT_MS = 180_000;

export function defineQuestion<const Schema extends JsonSchema, Ready>(
  service: TypeScriptService,
  { answer, instead, ready, categories = [], ...rest }: ViewQuestion<Schema, Ready>,
): Tool {
  return defineTool({
    ...rest,
    safety: "safe",
    categories: ["introspection", ...categories],
    run: async (args, context) => {
      const other = instead?.(args, context);
      if (other !== undefined) return other;
      const before = await ready?.(args, context);
      return answerFrom(service, context.signal, async (view) => answer(view, args, context, before));
    },
  });
}

/** `answer` is asked about exactly one symbol; any other address is answered with its meanings or the nearest names. */
export function defineSymbolQuestion<const Schema extends SymbolSchema>(
  service: TypeScriptService,
  { whenNameless, answer, answerModule, isAboutMentions, hasUsesWithin = false, told, ...rest }: SymbolQuestion<Schema>,
): Tool {
  const [parameter] = rest.input.required;
  return defineQuestion(service, {
    ...rest,
    // An address can name its file or package itself.
    told: { [parameter]: { type: "string" }, path: null, ...told },
    answer: async (view, args) => {
      const given = args as Readonly<Record<string, string | undefined>>;
      const address = given[parameter] ?? "";
      if (whenNameless !== undefined && address.trim() === "") throw new ToolFailure(whenNameless);
      const scope = given["path"];
      const inScope = await resolveSymbol(view, address, scope);
      const ground = scope === undefined || !hasUsesWithin ? undefined : folderOrModule(view, scope);
      const isElsewhere = ground !== undefined && inScope.kind === "unknown";
      const resolution = isElsewhere ? await resolveSymbol(view, address) : inScope;
      if (resolution.kind === "found") {
        const { target } = resolution;
        const files = new Set(ground?.files);
        const within = files.size === 0 || files.has(target.file) ? undefined : inFiles(files);
        if (isAboutMentions ?? rest.categories?.includes("xref")) await doubtUses(view, target.declarations);
        const answered = await answer(view, target, args, within);
        return { ...answered, content: `${aliasOf(view, target)}${answered.content}` };
      }
      if (resolution.kind === "module" && answerModule !== undefined) return answerModule(view, resolution.file, args);
      if (resolution.kind === "unknown") await doubtUnread(view, parseAddress(address).path.split(".").slice(-1));
      return explainResolution(view, address, resolution);
    },
  });
}

function inFiles(files: ReadonlySet<string>): NonNullable<Within> {
  return ({ file }) => files.has(file);
}

/** What follows is about the declared name. */
function aliasOf(view: View, { declarations: [{ name, alias }] }: SymbolTarget): string {
  return alias === undefined
    ? ""
    : `${alias.name} is another name for ${name}, from ${place(view, alias.file, alias.at)}.\n`;
}
