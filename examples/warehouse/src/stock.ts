/** What lies on the shelves. */
export interface Article {
  readonly name: string;
  readonly left: number;
  readonly shelf: "cold" | "dry";
}

export const stock: readonly Article[] = [
  { name: "milk", left: 2, shelf: "cold" },
  { name: "rice", left: 40, shelf: "dry" },
  { name: "eggs", left: 4, shelf: "cold" },
  { name: "salt", left: 1, shelf: "dry" },
];
