/** How a name that the model gives becomes a file of the project, and how a file is named to the model. */
export interface ProjectNames {
  /** The absolute path of the file or module that the model named, or why there is none. */
  readonly findFile: (name: string) => { readonly path: string } | { readonly reason: string };
  /** A URI as the model shall read it: relative to the workspace where it lies inside. */
  readonly showUri: (uri: string) => string;
}
