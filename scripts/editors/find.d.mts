export interface Editor {
  kind: "nvim" | "emacs";
  /** What the editor says of itself, such as `0.12.4`. */
  version: string;
  /** The program to start. */
  path: string;
  /** The emacsclient of the same Emacs. */
  client?: string;
}

export function findEditors(kinds?: Editor["kind"][]): Editor[];
