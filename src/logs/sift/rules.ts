import { type Check, type Rule, Test } from "./machine.ts";

/**
 * Records that change nothing but a count and the span of time once a record like them was told: what is checked of them
 * must be all that their reader looks at.
 */
export interface PassRule<Name extends string> {
  readonly is: Partial<Readonly<Record<Name, string>>>;
  /** As in the record that settled the rule: kept objects and short texts to the letter, else of the same kind. */
  readonly same: readonly Name[];
  /** Counts, if they are there. */
  readonly counts?: readonly Name[];
  readonly time: Name;
  /** Not before the record that settled the rule. */
  readonly isLater?: boolean;
  /** A list that holds an object with this text as one member and any text as another. */
  readonly holds?: {
    readonly element: Name;
    readonly member: Name;
    readonly text: string;
    readonly other: Name;
  };
}

export function idleRules(types: ReadonlySet<string>, type: number): Rule[] {
  return [...types].map((text) => ({ isIdle: true, checks: [{ test: Test.is, node: type, text }] }));
}

export function rulesOf<Name extends string>(
  rules: Readonly<Record<string, PassRule<Name>>>,
  nodeOf: (name: Name) => number,
): Rule[] {
  return Object.values(rules).map((rule) => ({ isIdle: false, checks: checksOf(rule, nodeOf) }));
}

function checksOf<Name extends string>(
  { is, same, counts = [], time, isLater, holds }: PassRule<Name>,
  nodeOf: (name: Name) => number,
): Check[] {
  const texts = Object.entries<string | undefined>(is) as [Name, string][];
  return [
    ...texts.map(([name, text]) => ({ test: Test.is, node: nodeOf(name), text })),
    ...same.map((name) => ({ test: Test.same, node: nodeOf(name) })),
    ...counts.map((name) => ({ test: Test.count, node: nodeOf(name) })),
    { test: isLater === true ? Test.later : Test.time, node: nodeOf(time) },
    ...(holds === undefined
      ? []
      : [
          {
            test: Test.holds,
            node: nodeOf(holds.element),
            text: holds.text,
            member: nodeOf(holds.member),
            other: nodeOf(holds.other),
          },
        ]),
  ];
}
