/** Questions about values and names in the image. */
import { CHANGED } from "../belief.ts";
import { answerTo, valueOf } from "../image-beliefs.ts";
import { yesNo, type Question } from "./question.ts";

/** `form` as the model evaluated it; the reader doubts it when something was said since that may have changed it. */
export function value(form: string): Question {
  return {
    ask: `What is the value of ${form} in the image now?`,
    read: (told) => valueOf(told, form),
    truth: (scene) => scene.evaluate(form),
  };
}

export function isStillValue(form: string): Question {
  return {
    ask: `Is the value of ${form} still the one that was read?`,
    read: (told) => yesNo(valueOf(told, form) !== CHANGED),
    truth: async (scene) => yesNo(answerTo(scene.told(), form) === (await scene.evaluate(form))),
  };
}

/** A name that a form declared. */
export function isDeclared(name: string): Question {
  return {
    ask: `Is there still the name ${name} in the image?`,
    read: (told) => {
      const all = told.map(({ text }) => text);
      const made = told.findLastIndex(
        (each) =>
          each.kind === "result" &&
          !each.isError &&
          new RegExp(`\\b(?:let|const|var|function|class) ${name}\\b`).test(String(each.call.input["form"])) &&
          /\((?:value|installed), /.test(each.text),
      );
      const lost = all.findLastIndex((text) => isLoss(text, name));
      return yesNo(made > lost);
    },
    truth: async (scene) => yesNo((await scene.evaluate(`typeof ${name}`)) !== '"undefined"'),
  };
}

function isLoss(text: string, name: string): boolean {
  const gone = /^Gone with the old one: .*$/m.exec(text)?.[0] ?? "";
  return /(?:definitions|earlier names) and values are gone/.test(text) || new RegExp(`[( ]${name}[,)]`).test(gone);
}
