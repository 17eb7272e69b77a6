/** A tool about the text of one buffer: the person is asked where the buffer is no file, and never about another one. */
import type { SchemaType } from "../../schema/schema-type.ts";
import type { JsonSchema } from "../../protocol/shapes.ts";
import type { ToldParameters } from "../offered-schema.ts";
import { defineTool, type Tool, type ToolAnswer } from "../tool.ts";
import {
  bufferNamed,
  openBuffers,
  readingNeed,
  refuseClosed,
  type BufferPorts,
  type OpenBuffer,
} from "./open-buffers.ts";

/** The schema has a `buffer`, by default the one the person is in. */
interface BufferQuestion<Schema extends JsonSchema> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly told: ToldParameters;
  /** What is wrong with the arguments themselves, which nobody has to be asked about. */
  readonly whyNot?: (args: SchemaType<Schema>) => string | undefined;
  readonly answer: (buffer: OpenBuffer, args: SchemaType<Schema>, signal: AbortSignal) => Promise<ToolAnswer>;
}

export function defineBufferTool<const Schema extends JsonSchema>(
  ports: BufferPorts,
  { answer, whyNot, ...definition }: BufferQuestion<Schema>,
): Tool {
  const named = (args: unknown): string | undefined => (args as { readonly buffer?: string }).buffer;
  return defineTool({
    ...definition,
    categories: ["buffer"],
    unavailable: ports.unavailable,
    needsApproval: async (args, { signal }) => {
      const refused = whyNot?.(args);
      if (refused !== undefined) return { refused };
      return readingNeed(ports, named(args), signal, (buffer) => (_args, running) => {
        return answer(buffer, args, running.signal);
      });
    },
    run: async (args, { signal }) => {
      const buffer = bufferNamed(await openBuffers(ports, signal), named(args));
      refuseClosed(buffer);
      return answer(buffer, args, signal);
    },
  });
}
