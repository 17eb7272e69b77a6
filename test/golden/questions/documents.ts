/** Questions about texts: what a line says, whether the disk has it too. */
import { CHANGED } from "../belief.ts";
import { DocumentBeliefs } from "../document-beliefs.ts";
import { yesNo, type Question } from "./question.ts";

const lineOf = (text: string | undefined, number: number): string => text?.split("\n")[number - 1]?.trim() ?? "no line";

/** As the person has it in front of them: the buffer where there is one, else the disk. */
export function line(path: string, number: number): Question {
  return {
    ask: `What does line ${number} of ${path} say?`,
    read: (told) => new DocumentBeliefs(told).of(path).line(number).trim(),
    truth: (scene) => lineOf(scene.text(path), number),
  };
}

/** `request` is the one that first told the line, counted from 1. */
export function isAsRead(path: string, number: number, request = 2): Question {
  return {
    ask: `Does line ${number} of ${path} still say what it said when it was read?`,
    read: (told) => yesNo(new DocumentBeliefs(told).of(path).line(number) !== CHANGED),
    truth: (scene) => {
      const then = scene.moments[request - 1];
      return yesNo(
        lineOf(then?.buffers.get(path) ?? then?.disk.get(path), number) === lineOf(scene.text(path), number),
      );
    },
  };
}

export function isUnsaved(path: string): Question {
  return {
    ask: `Does the buffer of ${path} differ from the disk?`,
    read: (told) => yesNo(new DocumentBeliefs(told).of(path).isUnsaved),
    truth: (scene) => yesNo(scene.isUnsaved(path)),
  };
}

export function exists(path: string): Question {
  return {
    ask: `Is there a file ${path}?`,
    read: (told) => yesNo(new DocumentBeliefs(told).of(path).exists),
    truth: (scene) => yesNo(scene.text(path) !== undefined),
  };
}
