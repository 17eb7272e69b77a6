/** `list_buffers`: what the person has open in the editor. */
import { listAnswer, pageOf } from "../answers/answer-text.ts";
import { shownName } from "../files/shown-name.ts";
import { defineTool, type Tool } from "../tool.ts";
import { openBuffers, stateOf, type BufferPorts, type OpenBuffer } from "./open-buffers.ts";

export function createListBuffers(ports: BufferPorts): Tool {
  return defineTool({
    name: "list_buffers",
    description: "What is open in the editor, files or not, and where the person is.",
    categories: ["buffer"],
    unavailable: ports.unavailable,
    input: { type: "object", properties: { cursor: { type: "string", minLength: 1 } }, additionalProperties: false },
    run: async ({ cursor }, { signal }) => {
      const buffers = await openBuffers(ports, signal);
      const of = (access: OpenBuffer["access"]): OpenBuffer[] => buffers.filter((each) => each.access === access);
      const [asked, closed] = [of("asked").map(lineOf), of("closed")];
      const lines = [
        ...of("workspace").map(lineOf),
        ...(asked.length === 0 ? [] : ["No files of the workspace; the person is asked before one is read:", ...asked]),
        ...(closed.length === 0 ? [] : [closedLine(closed)]),
      ];
      const page = pageOf(lines, { cursor });
      return listAnswer(lines.length === 0 ? ["No buffers."] : page.lines, page, lines.length, "lines");
    },
  });
}

function lineOf(buffer: OpenBuffer): string {
  const where = buffer.isCurrent === true ? "; the person is here" : buffer.isVisible === true ? "; on screen" : "";
  return `  ${shownName(buffer.shown)} (${stateOf(buffer)})${where}`;
}

function closedLine(closed: readonly OpenBuffer[]): string {
  const isHere = closed.some(({ isCurrent }) => isCurrent === true) ? "; the person is in one of them" : "";
  const what = "outside of the workspace or under a name that secrets have: never read";
  return closed.length === 1
    ? `A buffer of a file ${what}${isHere}.`
    : `${closed.length} buffers of files ${what}${isHere}.`;
}
