/** Where everything lies in the memory, and the numbers that kinds, tests and results go by. */

/** 512 slots of 16 bytes: node, address of the name, its length, node around it. Node 0 is an empty slot. */
export const SLOTS: i32 = 1024;
/** What is checked; its node; address and length of a text; two nodes more, or a settled kind; a settled value. */
export const CHECK_BYTES: i32 = 32;
/** Per open container 8 bytes: what it is, and its node. */
export const STACK: i32 = 32768;
export const MAX_DEPTH: i32 = 1024;
/** Per node 32 bytes: line that it was last in; type; start; end; value; version; length of what is remembered. */
export const NODES: i32 = 40960;
/** Per node 8 bytes: what is special about it, and the node of its elements. */
export const TRAITS: i32 = 45056;
/** Per rule 16 bytes: what it is now; how many lines it passed over, and the last of them; whether it makes no rows. */
export const PASSED: i32 = 46080;
/** Earliest and latest time of lines that were passed over. */
export const PASSED_TIMES: i32 = 46336;
/** Per node 128 bytes: its last text. */
export const TEXTS: i32 = 49152;
export const TEXT_BYTES: i32 = 128;
/** Entries of 16 bytes for what lies in lists: node, type, start, end. */
export const TAPE: i32 = 65536;
export const TAPE_END: i32 = 131072;
/** Per node that is kept 4096 bytes: its last object. */
export const OBJECTS: i32 = 131072;
export const OBJECT_BYTES: i32 = 4096;
/** Per rule, of which there are up to sixteen: how many columns it writes and which rule it settles, checks, columns. */
export const RULES: i32 = 147456;
export const RULE_BYTES: i32 = 2048;
export const CHECKS: i32 = 16;
/** What is written of a node: how, the node, and the seed of a hash. */
export const COLUMNS: i32 = 1536;
export const COLUMN_BYTES: i32 = 16;
/** Rows of doubles, for whoever reads: the rule, the first and the last line that it stands for, and the columns. */
export const ROWS: i32 = 180224;
export const ROW_BYTES: i32 = 160;
export const MAX_ROWS: i32 = 400;
/** What is known of shapes: the first step of lines, then steps with their bytes and marks, as they were learned. */
export const SHAPES: i32 = 245760;
export const FIRST_SHAPE: i32 = 245776;
export const SHAPES_END: i32 = 372736;
/** Marks of the step that is being learned. */
export const NEW_MARKS: i32 = 372736;
export const MAX_MARKS: i32 = 250;

/**
 * A step of a shape: the step that is tried where it does not fit, the first step behind it, and the first one inside what
 * follows it; the number of bytes that must be here, what follows them, and its node; how many of the first 16 bytes there
 * are, and how many marks. The bytes themselves stand behind it, its marks in front: what is looked at together lies
 * together. Where nothing follows, the node says whether such lines are idle.
 */
export const STEP_BYTES: i32 = 18;
export const NEXT: i32 = 4;
export const INSIDE: i32 = 8;
export const BYTES: i32 = 12;
export const FOLLOWS: i32 = 14;
export const NODE_OF: i32 = 15;
export const FIRST_BYTES: i32 = 16;
export const MARKS: i32 = 17;
/** A mark: a node, its type, and where it starts and ends, counted from the start of the bytes. */
export const MARK_BYTES: i32 = 8;
export const MARK_TYPE: i32 = 1;
export const MARK_START: i32 = 2;
export const MARK_END: i32 = 4;
/** So many bytes of ones, and as many zeros behind them. */
export const ONES: i32 = 12288;
/** What follows the bytes of a step. */
export const TEXT: i32 = 1;
export const COUNTED: i32 = 2;
export const NESTED: i32 = 3;
export const LIST: i32 = 4;
export const NOTHING: i32 = 5;
/** In place of where a step ends: it does not fit, or nothing does. */
export const TRY_NEXT: i32 = -1;
export const NO_SHAPE: i32 = -2;
/** More ways to go on than this are no shape. */
export const MAX_WAYS: i32 = 16;
export const MAX_STEP: i32 = 1024;
/** Bytes of a text that tells kinds of lines apart. */
export const MAX_NAME: i32 = 64;
/** Deeper objects are read member by member: so no byte is read more often than this. */
export const MAX_LEVELS: i32 = 4;
/** When there is no room left and so many lines had no shape, others are learned. */
export const MAX_STRANGERS: i32 = 2048;

export const VALID: i32 = 0;
export const BROKEN: i32 = 1;
/** More members, deeper, or keys with escapes: somebody else must parse it. */
export const UNSURE: i32 = 2;
/** No object begins the line. */
export const OTHER: i32 = 3;
/** No line is left. */
export const END: i32 = 4;
/** No room is left for rows. */
export const FULL: i32 = 5;

/** A rule passes over lines: while it is settled, or always and without counting them. */
export const IS_SETTLED: i32 = 1;
export const IS_IDLE: i32 = 2;

/** Is this text. */
export const IS: i32 = 1;
/** Of the kind that it was when the rule was settled; texts, numbers and kept objects with what they were. */
export const SAME: i32 = 2;
/** Not there, null, or a whole number. */
export const COUNT: i32 = 3;
/** A time as every known writer writes it; and none before the one when the rule was settled. */
export const TIME: i32 = 4;
export const LATER: i32 = 5;
/** A list: an object in it has this text as one member, and some text as another. */
export const HOLDS: i32 = 6;
/** A plain text, and not this one. */
export const IS_NOT: i32 = 7;
/** An object that was read here, rather than known from an earlier line. */
export const FRESH: i32 = 8;
/** A plain text with something in it. */
export const GIVEN: i32 = 9;
/** No text, or one whose bytes are its characters. */
export const PLAIN: i32 = 10;
export const ABSENT: i32 = 11;

/** Columns: a count or -1, milliseconds, the hash of a text or -1, whether there is a text with something in it. */
export const COUNT_OF: i32 = 1;
export const TIME_OF: i32 = 2;
export const HASH_OF: i32 = 3;
export const TELLS: i32 = 4;

export const OBJECT: i32 = 0;
export const ARRAY: i32 = 1;
/** ASCII without escapes. */
export const PLAIN_STRING: i32 = 2;
export const OTHER_STRING: i32 = 3;
export const NUMBER: i32 = 4;
export const TRUE: i32 = 5;
export const FALSE: i32 = 6;
export const NULL: i32 = 7;

/** Beside the type: an object that was equal to the last one and has not been read again; a list with something in it. */
export const IS_SKIPPED: i32 = 16;
export const HAS_ELEMENTS: i32 = 32;

/** Traits of nodes. The number of the place for a kept object stands above them. */
export const IS_TIME: i32 = 1;
export const IS_KEPT: i32 = 2;
export const IN_LIST: i32 = 4;
/** Its text tells kinds of lines apart. */
export const IS_NAME: i32 = 8;

export const IS_OBJECT: i32 = 1;
export const ROOT: i32 = 1;
export const MAX_NODES: i32 = 128;
