import { describe, expect, test } from "vitest";
import { must } from "../../core/result.ts";
import { loadDriver } from "./driver.ts";

class FakeDatabase {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }
  exec(): void {}
  prepare(): never {
    throw new Error(this.path);
  }
  close(): void {}
}

describe("the driver", () => {
  test("Node's own SQLite is preferred and the package stands in for it", () => {
    const asked: string[] = [];
    const own = loadDriver((name) => {
      asked.push(name);
      return { DatabaseSync: FakeDatabase };
    });
    expect([own.ok, asked]).toEqual([true, ["node:sqlite"]]);
    const packaged = loadDriver((name) => {
      if (name === "node:sqlite") throw new Error("No such built-in module");
      return { DatabaseSync: FakeDatabase };
    });
    expect(packaged.ok).toBe(true);
  });

  test("without any driver the problem says what to install", () => {
    const none = loadDriver((name) => {
      throw new Error(`no ${name}`);
    });
    expect(none).toMatchObject({ ok: false, problem: { code: "store-unusable" } });
    expect(none.ok ? "" : none.problem.hint).toContain("npm install @photostructure/sqlite");
    expect(none.ok ? "" : none.problem.cause).toBe(
      "node:sqlite: no node:sqlite; @photostructure/sqlite: no @photostructure/sqlite",
    );
  });

  test("the notice that SQLite is experimental stays off stderr, other warnings pass", () => {
    const heard: string[] = [];
    const before = process.emitWarning;
    process.emitWarning = (warning: string | Error) => void heard.push(String(warning));
    try {
      loadDriver(() => {
        process.emitWarning(
          "SQLite is an experimental feature and might change at any time",
          "ExperimentalWarning",
        );
        process.emitWarning("something else", "DeprecationWarning");
        return { DatabaseSync: FakeDatabase };
      });
    } finally {
      process.emitWarning = before;
    }
    expect(heard).toEqual(["something else"]);
  });

  test("booleans are bound as integers and absent values as null", () => {
    const db = must(loadDriver())(":memory:");
    db.exec("CREATE TABLE t (a, b, c)");
    expect(db.run("INSERT INTO t VALUES (?, ?, ?)", true, false, undefined)).toBe(1);
    expect({ ...db.get("SELECT * FROM t") }).toEqual({ a: 1, b: 0, c: null });
    expect(db.get("SELECT * FROM t WHERE a = 2")).toBeUndefined();
    expect(db.all("SELECT * FROM t")).toHaveLength(1);
    db.close();
  });
});
