/** Names the holders of old values that the heap showed, as text for a person. */
import type { BusyFrame } from "../child/wire/busy-frame.ts";
import type { Holder, Installed, Retainer } from "./installation.ts";

type Placed = (at: BusyFrame) => string;

/** Adds the holders from the heap to the other holders. `placed` gives a function's name and place in the source. */
export function withRetainers({ names, ...rest }: Installed, placed: Placed): Installed {
  const told = names.map((each) => {
    const { holders = [], retainers } = each;
    if (retainers === undefined) return each;
    return { ...each, holders: [...holders, ...retainers.map((retainer) => retainedBy(retainer, placed))] };
  });
  return { ...rest, names: told };
}

function retainedBy({ by, what, at }: Retainer, placed: Placed): Holder {
  const who = at === undefined ? "" : placed(at);
  switch (by) {
    case "closure":
      return { path: `the function ${who}`, what: `its variable ${what}` };
    case "function":
      return { path: `the function ${who}`, what: `its property ${what}` };
    case "call":
      return {
        path: `a call of ${who} that has not ended`,
        what: what === "" ? "a variable of its own" : `its variable ${what}`,
      };
    case "timer":
      return { path: "a timer", what };
    case "session":
      return { path: "the REPL", what };
    case "global":
      return { path: "globalThis", what };
    default:
      return by satisfies never;
  }
}
