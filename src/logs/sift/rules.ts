import type { IdKind } from "../text-hash.ts";
import { type Check, Column, type Rule, Test, type WantedColumn } from "./machine.ts";

/**
 * Records that are passed over once a record like them was told: they change nothing but a count and the span of time, or
 * what they change stands in the columns of their row. What is checked of them must be all else that their reader looks at.
 */
export interface PassRule<Name extends string> {
  readonly is?: Partial<Readonly<Record<Name, string>>>;
  /** Plain texts other than these. */
  readonly isNot?: Partial<Readonly<Record<Name, readonly string[]>>>;
  /** As in the record that settled the rule: kept objects and short texts to the letter, else of the same kind. */
  readonly same: readonly Name[];
  /** Counts, if they are there. */
  readonly counts?: readonly Name[];
  readonly time?: Name;
  /** Not before the record that settled the rule. */
  readonly isLater?: boolean;
  /** An object that no earlier line had to the letter. */
  readonly fresh?: Name;
  /** Plain texts with something in them. */
  readonly given?: readonly Name[];
  /** Plain texts, or none. */
  readonly plain?: readonly Name[];
  readonly absent?: readonly Name[];
  /** What becomes the row of such a record, by name. */
  readonly columns?: Readonly<Record<string, RowColumn<Name>>>;
  /** The rule that each such record settles. */
  readonly settles?: string;
  /** Such records go on with what the last row began. */
  readonly isMore?: boolean;
  /** A list that holds an object with this text as one member and any text as another. */
  readonly holds?: {
    readonly element: Name;
    readonly member: Name;
    readonly text: string;
    readonly other: Name;
  };
}

export interface RowColumn<Name extends string> {
  readonly as: keyof typeof Column;
  readonly of: Name;
  /** Of a hash: what tells it from hashes of other kinds. */
  readonly kind?: IdKind;
}

/** The places of columns in their row. */
export function columnsOf<Name extends string>(
  columns: Readonly<Record<Name, unknown>>,
): Record<Name, number> {
  const places: Partial<Record<Name, number>> = {};
  for (const [place, name] of (Object.keys(columns) as Name[]).entries()) places[name] = place;
  return places as Record<Name, number>;
}

export function idleRules(types: ReadonlySet<string>, type: number): Rule[] {
  const rest = { isIdle: true, columns: [], settles: -1, isMore: false };
  return [...types].map((text) => ({ ...rest, checks: [{ test: Test.is, node: type, text }] }));
}

/** @param before how many rules stand in front of these */
export function rulesOf<Name extends string>(
  rules: Readonly<Record<string, PassRule<Name>>>,
  nodeOf: (name: Name) => number,
  before: number,
): Rule[] {
  const names = Object.keys(rules);
  return Object.values(rules).map((rule) => ({
    isIdle: false,
    checks: checksOf(rule, nodeOf),
    columns: Object.values(rule.columns ?? {}).map(
      ({ as, of, kind }): WantedColumn => ({
        column: Column[as],
        node: nodeOf(of),
        ...(kind === undefined ? {} : { kind }),
      }),
    ),
    settles: rule.settles === undefined ? -1 : before + names.indexOf(rule.settles),
    isMore: rule.isMore === true,
  }));
}

function checksOf<Name extends string>(rule: PassRule<Name>, nodeOf: (name: Name) => number): Check[] {
  const { is = {}, isNot = {}, same, counts = [], time, isLater, holds } = rule;
  const { fresh, given = [], plain = [], absent = [] } = rule;
  const texts = Object.entries<string | undefined>(is) as [Name, string][];
  const others = Object.entries<readonly string[] | undefined>(isNot) as [Name, readonly string[]][];
  const each = (test: Check["test"], names: readonly Name[]): Check[] =>
    names.map((name) => ({ test, node: nodeOf(name) }));
  return [
    ...texts.map(([name, text]) => ({ test: Test.is, node: nodeOf(name), text })),
    ...others.flatMap(([name, all]) => all.map((text) => ({ test: Test.isNot, node: nodeOf(name), text }))),
    ...each(Test.same, same),
    ...each(Test.fresh, fresh === undefined ? [] : [fresh]),
    ...each(Test.count, counts),
    ...each(Test.given, given),
    ...each(Test.plain, plain),
    ...each(Test.absent, absent),
    ...each(isLater === true ? Test.later : Test.time, time === undefined ? [] : [time]),
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
