/** Five ways to set a text off, each around a text that has none inside. */
export interface Colors {
  readonly cyan: Color;
  readonly dim: Color;
  readonly green: Color;
  readonly red: Color;
  readonly yellow: Color;
}

export type Color = (text: string) => string;

/** Our own few lines: a package would ask for the terminal at each start, whether anything is shown there or not. */
export function createColors(isOn: boolean): Colors {
  const color = (on: number, off: number): Color =>
    isOn ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  return {
    cyan: color(36, 39),
    dim: color(2, 22),
    green: color(32, 39),
    red: color(31, 39),
    yellow: color(33, 39),
  };
}
