import { call, reply, scriptOf } from "../model/script.ts";

/** Describes a function: two questions to the compiler at once, then an answer in their words. */
export const describe = scriptOf("describe", "describe the function allocate", [
  reply(
    "I will ask the compiler what `allocate` is and who uses it.",
    call("describe_symbol", { symbol: "allocate", path: "src/allocate.ts" }),
    call("who_calls", { symbol: "src/allocate.ts#allocate" }),
  ),
  (turn) => {
    const description = turn.expect("describe_symbol", "allocate", "src/allocate.ts").text;
    const callers = turn.expect("who_calls", "src/credit-note.ts", "src/invoice.ts").text;
    const signature = description.split("\n").find((line) => /allocate\(total: Money/.test(line));
    const places = callers.split("\n").filter((line) => /^\s+src\/\S+:\d+:\d+ /.test(line));
    const calls = /^.*call sites? in .*$/m.exec(callers)?.[0];
    return reply(
      [
        "`allocate` divides an amount of money in proportion to weights, in whole cents.",
        ...(signature === undefined ? [] : [`\n    ${signature.trim()}`]),
        `\nIts comment promises that the shares always add up to the total. ${calls ?? ""}\n`,
        ...places.map((line) => `- ${line.replace(/ — .*/, "").trim()}`),
      ].join("\n"),
    );
  },
]);
