/**
 * Tools of the user's own: functions of the project that the editor's settings name. The model reads each function's
 * signature and JSDoc as they are now, and the function runs in the REPL's process, with the REPL's safety.
 */
import { pathToFileURL } from "node:url";
import { errorText } from "../../base/errors.ts";
import type { Repl } from "../../repl/repl.ts";
import { exportedDeclarations } from "../../typescript/names/tree/checker-lookup.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { PathResolution } from "../../workspace/workspace-paths.ts";
import { evaluationAnswer, isRefused } from "../answers/rendered/render-evaluation.ts";
import type { ExecutionSafety } from "../execution/execution-safety.ts";
import { authorOf } from "../execution/form-author.ts";
import { FunctionToolError, noDescription, parameterValues, readFunction } from "./function-tool.ts";
import type { ToolRegistry } from "../run/registry.ts";
import { defineTool, ToolFailure, type ToolAnswer, type ToolContext } from "../tool.ts";

export interface OwnToolPorts {
  readonly typescript: TypeScriptService;
  readonly registry: ToolRegistry;
  readonly repl: Pick<Repl, "evaluate">;
  readonly safety: Required<ExecutionSafety>;
  readonly resolvePath: (name: string) => PathResolution;
  /** Undefined for a file that does not exist. */
  readonly readDocument: (uri: string) => Promise<object | undefined>;
  readonly showUri: (uri: string) => string;
  /** Tells the person why a tool is not offered. */
  readonly warn: (message: string) => void;
}

interface OwnTool {
  /** The address as the settings have it: `./tools/scarce.ts#scarceArticles`. */
  readonly address: string;
  /** The tool's name in the registry; undefined as long as no tool could be made. */
  name?: string;
  /** Why the function cannot be called now. */
  problem?: string;
  /** The definition of the tool in the registry, to see whether another one is to be made. */
  told?: string;
}

const RUN_LIMIT_MS = 60_000;
/** Starting the REPL and waiting for an earlier evaluation take time beyond the function's own. */
const SLACK_MS = 60_000;
/** A compiler that still loads the projects must not keep a turn from its other tools. */
const READ_LIMIT_MS = 20_000;

export class OwnTools {
  readonly #ports: OwnToolPorts;
  readonly #tools: readonly OwnTool[];
  readonly #warned = new Set<string>();
  #reading: Promise<void> = Promise.resolve();

  constructor(addresses: readonly string[], ports: OwnToolPorts) {
    this.#ports = ports;
    this.#tools = [...new Set(addresses)].map((address) => ({ address }));
  }

  /** Brings the registry's tools up to date with the functions as they are now, saved or not. Never rejects. */
  async refresh(): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      const signal = AbortSignal.timeout(READ_LIMIT_MS);
      for (const own of this.#tools) await this.#read(own, signal);
    });
    await this.#reading;
  }

  async #read(own: OwnTool, signal: AbortSignal): Promise<void> {
    try {
      await this.#register(own, signal);
      delete own.problem;
    } catch (error) {
      own.problem = `The tool ${own.address} is not offered: ${signal.aborted ? LATE : errorText(error)}`;
      if (!this.#warned.has(own.problem)) this.#ports.warn(own.problem);
      this.#warned.add(own.problem);
    }
  }

  async #register(own: OwnTool, signal: AbortSignal): Promise<void> {
    const { registry, typescript, safety } = this.#ports;
    const { file, shown, path } = await this.#place(own.address);
    const signature = await readFunction(typescript, { function: `${shown}#${path}` }, signal);
    if (signature.description === "") throw new FunctionToolError(`${noDescription(`${shown}#${path}`)}.`);
    const isExported = await typescript.query(async (view) => {
      return (await exportedDeclarations(view, view.fileNamed(file) ?? file, path)).length > 0;
    }, signal);
    if (!isExported) throw new FunctionToolError(`${shown} does not export ${path}: write export in front of it.`);
    const told = JSON.stringify(signature);
    if (own.told === told) return;
    if (own.name !== signature.name && registry.getTool(signature.name) !== undefined) {
      throw new FunctionToolError(`there is a tool ${signature.name} already; give the function another name.`);
    }
    const { name, description, inputSchema, parameters } = signature;
    const tool = defineTool({
      name,
      description,
      input: inputSchema,
      told: "whole",
      ...safety,
      categories: ["own"],
      timeoutMs: RUN_LIMIT_MS + SLACK_MS,
      unavailable: () => own.problem,
      run: (args, context) => {
        const values = parameterValues(parameters, args as Readonly<Record<string, unknown>>, context.signal);
        return this.#run(call(file, path, values), `${name}(${JSON.stringify(args)})`, context);
      },
    });
    registry.register(tool);
    own.name = name;
    own.told = told;
  }

  async #place(address: string): Promise<{ readonly file: string; readonly shown: string; readonly path: string }> {
    const [name = "", ...rest] = address.split("#");
    const resolution = this.#ports.resolvePath(name);
    if (!resolution.ok) throw new FunctionToolError(resolution.reason);
    const { absolute, relative, uri } = resolution.path;
    if ((await this.#ports.readDocument(uri)) === undefined) throw new FunctionToolError(`${relative} does not exist.`);
    return { file: absolute, shown: relative, path: rest.join("#") };
  }

  async #run(code: string, words: string, context: ToolContext): Promise<ToolAnswer> {
    const { repl, showUri } = this.#ports;
    const result = await repl.evaluate(
      { code, tool: { words }, ...authorOf(context), timeoutMs: RUN_LIMIT_MS },
      context.signal,
    );
    const answer = evaluationAnswer(result, showUri);
    if (isRefused(result) || result.outcome !== "value") throw new ToolFailure(answer.content);
    return answer;
  }
}

const LATE = "the compiler did not read its signature in time; it is tried again with the next request.";

/** The form that calls the function: arguments go in as JSON, so that none of them is read as code. */
function call(file: string, path: string, values: readonly unknown[]): string {
  const members = path.split(".").map((name) => `[${JSON.stringify(name)}]`);
  const texts = values.map((value) => {
    if (value instanceof AbortSignal) return "$signal";
    return value === undefined ? "undefined" : `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
  });
  return `await (await import(${JSON.stringify(pathToFileURL(file).href)}))${members.join("")}(${texts.join(", ")})`;
}
