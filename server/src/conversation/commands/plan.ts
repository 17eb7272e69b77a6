/** `/plan` and `/go`: a conversation in which nothing is changed or run until the person has agreed to a plan. */
import type { SlashCommand } from "./command.ts";

const GO = "I agree to the plan: carry it out.";

const planCommand: SlashCommand = {
  name: "plan",
  takes: "[WHAT | off]",
  summary: "plan only: the agent looks, and changes and runs nothing before /go",
  run: async ({ rest, sessionId }, { setMode }) => {
    if (sessionId === undefined) throw new Error("There is no conversation yet.");
    await setMode(sessionId, rest === "off" ? "default" : "plan");
    if (rest === "off") return { answer: "Plan mode has ended: the agent may propose edits and run code again." };
    if (rest !== "") return { prompt: rest };
    return {
      answer:
        "Plan mode: the agent looks, and changes and runs nothing. `/go` carries the plan out, `/plan off` ends the mode.",
    };
  },
};

const goCommand: SlashCommand = {
  name: "go",
  takes: "[WHAT ELSE]",
  summary: "agree to the plan: plan mode ends, and the agent carries the plan out",
  run: async ({ rest, sessionId }, { setMode }) => {
    if (sessionId === undefined || !(await setMode(sessionId, "default"))) {
      throw new Error("This conversation is not in plan mode: `/plan WHAT` asks for a plan.");
    }
    return { prompt: rest === "" ? GO : `${GO}\n\n${rest}` };
  },
};

export const planCommands: readonly SlashCommand[] = [planCommand, goCommand];
