/** What is told of the answers of MCP servers that answer in odd ways. */
import { expect, it } from "vitest";
import { answerText } from "../../../../server/src/tools/mcp/answer-text.ts";
import { whyFailed } from "../../../../server/src/tools/mcp/why-failed.ts";

it("leaves a picture out of the structured content, too", () => {
  const data = "iVBORw0KGgo".repeat(1000);
  const told = answerText({
    content: [{ type: "image", data, mimeType: "image/png" }],
    structuredContent: { result: { image: data, width: 3 } },
  });
  expect(told).toBe('[image, image/png, 8250 bytes: not shown]\n{"result":{"image":"not shown","width":3}}');
});

it("leaves the bytes of a resource out of whatever else holds them", () => {
  const blob = "JVBERi0xLjQK".repeat(1000);
  const told = answerText({
    content: [
      { type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob } },
      { type: "text", text: `{"pdf":"data:application/pdf;base64,${blob}"}` },
    ],
    structuredContent: { pdf: `data:application/pdf;base64,${blob}`, pages: 3 },
  });
  expect(told.split("\n")).toEqual([
    "[resource file:///a.pdf, application/pdf, 9000 bytes: not shown]",
    '{"pdf":"data:application/pdf;base64,not shown"}',
    '{"pdf":"data:application/pdf;base64,not shown","pages":3}',
  ]);
});

it("tells all that a link says of what it leads to", () => {
  const link = {
    type: "resource_link",
    uri: "file:///a.pdf",
    name: "a.pdf",
    title: "Annual",
    mimeType: "application/pdf",
    size: 9,
  };
  expect(answerText({ content: [link] })).toBe("[link to a.pdf: file:///a.pdf, Annual, application/pdf, 9 bytes]");
});

it("takes content that is the text itself for a text", () => {
  expect(answerText({ content: "plain" })).toBe("plain");
  expect(answerText({ content: ["two", "texts"] })).toBe("two\ntexts");
  expect(answerText({ content: { type: "text", text: "one block" } })).toBe("one block");
  expect(answerText({ content: 5 })).toBe("");
});

it("tells the data of an error", () => {
  expect(whyFailed(Object.assign(new Error("no"), { data: { field: "q" } }))).toBe('no ({"field":"q"})');
  expect(whyFailed(Object.assign(new Error("no"), { data: "why", status: 422 }))).toBe("HTTP 422: no (why)");
});
