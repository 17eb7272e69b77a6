/** The targets that code can be lowered to. */
export const TARGETS = [
  "es5",
  "es2015",
  "es2016",
  "es2017",
  "es2018",
  "es2019",
  "es2020",
  "es2021",
  "es2022",
  "es2023",
  "es2024",
  "es2025",
  "esnext",
] as const;

export type Target = (typeof TARGETS)[number];
