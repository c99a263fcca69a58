/** The syntax of one language for the small programs of the textbook. `%name` in an expression is a variable. */
export interface Language {
  readonly name: string;
  readonly platform: string;
  /** The path of a module. */
  readonly path: (module: string) => string;
  readonly file: (imports: readonly string[], functions: readonly string[]) => string;
  readonly import: (module: string, name: string) => string;
  readonly define: (name: string, parameters: readonly string[], body: readonly string[]) => string;
  /** A statement from an expression. */
  readonly assign: (name: string, value: string) => string;
  readonly reassign: (name: string, value: string) => string;
  readonly constant: (name: string, value: string) => string;
  readonly call: (expression: string) => string;
  readonly give: (expression: string) => string;
  readonly when: (condition: string, statement: string) => string;
  readonly raise: (text: string) => string;
  readonly comment: (text: string) => string;
  readonly expression: (text: string) => string;
  readonly or: (value: string, fallback: string) => string;
  readonly missing: string;
  readonly isMissing: (value: string) => string;
  readonly member: (of: string, name: string) => string;
  readonly errors: {
    readonly missing: (member: string) => string;
    readonly undefined: (name: string) => string;
    readonly arguments: (name: string, given: number, wanted: number) => string;
    readonly raised: (text: string) => string;
  };
}

const indent = (lines: readonly string[], by: string) => lines.map((line) => line.replace(/^(?=.)/gm, by));
const braces = (head: string, body: readonly string[], by: string) =>
  [`${head} {`, ...indent(body, by), '}'].join('\n');
const bare = (text: string) => text.replace(/%/g, '');

const python: Language = {
  name: 'python',
  platform: 'python',
  path: (module) => `shop/${module}.py`,
  file: (imports, functions) => `${[...imports, ...functions].join('\n\n')}\n`,
  import: (module, name) => `from shop.${module} import ${name}`,
  define: (name, parameters, body) =>
    [`def ${name}(${parameters.join(', ')}):`, ...indent(body, '    ')].join('\n'),
  assign: (name, value) => `${name} = ${value}`,
  reassign: (name, value) => `${name} = ${value}`,
  constant: (name, value) => `${name} = ${value}`,
  call: (expression) => expression,
  give: (expression) => `return ${expression}`,
  when: (condition, statement) => `if ${condition}:\n    ${statement}`,
  raise: (text) => `raise ValueError("${text}")`,
  comment: (text) => `# ${text}`,
  expression: bare,
  or: (value, fallback) => `${value} or ${fallback}`,
  missing: 'None',
  isMissing: (value) => `${value} is None`,
  member: (of, name) => `${of}.${name}`,
  errors: {
    missing: (member) => `AttributeError: 'NoneType' object has no attribute '${member}'`,
    undefined: (name) => `NameError: name '${name}' is not defined`,
    arguments: (name, given, wanted) =>
      `TypeError: ${name}() takes ${wanted} positional arguments but ${given} were given`,
    raised: (text) => `ValueError: ${text}`,
  },
};

const ruby: Language = {
  ...python,
  name: 'ruby',
  platform: 'ruby',
  path: (module) => `lib/shop/${module}.rb`,
  import: (module) => `require 'shop/${module}'`,
  define: (name, parameters, body) =>
    [`def ${name}(${parameters.join(', ')})`, ...indent(body, '  '), 'end'].join('\n'),
  give: (expression) => `return ${expression}`,
  when: (condition, statement) => `${statement} if ${condition}`,
  raise: (text) => `raise ArgumentError, '${text}'`,
  or: (value, fallback) => `${value} || ${fallback}`,
  missing: 'nil',
  isMissing: (value) => `${value}.nil?`,
  errors: {
    missing: (member) => `NoMethodError: undefined method '${member}' for nil`,
    undefined: (name) => `NoMethodError: undefined method '${name}' for main:Object`,
    arguments: (_name, given, wanted) =>
      `ArgumentError: wrong number of arguments (given ${given}, expected ${wanted})`,
    raised: (text) => `ArgumentError: ${text}`,
  },
};

const javascript: Language = {
  ...python,
  name: 'javascript',
  platform: 'node',
  path: (module) => `src/${module}.js`,
  import: (module, name) => `import { ${name} } from './${module}.js';`,
  define: (name, parameters, body) =>
    `${braces(`export const ${name} = (${parameters.join(', ')}) =>`, body, '  ')};`,
  assign: (name, value) => `const ${name} = ${value};`,
  reassign: (name, value) => `${name} = ${value};`,
  constant: (name, value) => `export const ${name} = ${value};`,
  call: (expression) => `${expression};`,
  give: (expression) => `return ${expression};`,
  when: (condition, statement) => `if (${condition}) {\n  ${statement}\n}`,
  raise: (text) => `throw new Error('${text}');`,
  comment: (text) => `// ${text}`,
  or: (value, fallback) => `${value} ?? ${fallback}`,
  missing: 'undefined',
  isMissing: (value) => `${value} === undefined`,
  errors: {
    missing: (member) => `TypeError: Cannot read properties of undefined (reading '${member}')`,
    undefined: (name) => `TypeError: ${name} is not a function`,
    arguments: (name, given, wanted) => `TypeError: ${name} expects ${wanted} arguments, ${given} given`,
    raised: (text) => `Error: ${text}`,
  },
};

const typescript: Language = {
  ...javascript,
  name: 'typescript',
  path: (module) => `src/${module}.ts`,
  define: (name, parameters, body) =>
    braces(
      `export function ${name}(${parameters.map((one) => `${one}: Value`).join(', ')}): Value`,
      body,
      '  ',
    ),
};

const java: Language = {
  ...javascript,
  name: 'java',
  platform: 'java',
  path: (module) => `src/main/java/shop/${module}.java`,
  file: (imports, functions) =>
    [...imports, braces('public class Module', indent(functions, ''), '    ')].join('\n\n').concat('\n'),
  import: (module, name) => `import static shop.${module}.${name};`,
  define: (name, parameters, body) =>
    braces(`static Value ${name}(${parameters.map((one) => `Value ${one}`).join(', ')})`, body, '    '),
  assign: (name, value) => `Value ${name} = ${value};`,
  constant: (name, value) => `static final Value ${name} = ${value};`,
  when: (condition, statement) => `if (${condition}) {\n    ${statement}\n}`,
  raise: (text) => `throw new IllegalArgumentException("${text}");`,
  or: (value, fallback) => `Optional.ofNullable(${value}).orElse(${fallback})`,
  missing: 'null',
  isMissing: (value) => `${value} == null`,
  errors: {
    missing: (member) =>
      `java.lang.NullPointerException: Cannot read field "${member}" because value is null`,
    undefined: (name) => `java.lang.NoSuchMethodError: 'Value shop.Module.${name}()'`,
    arguments: (name, given, wanted) =>
      `java.lang.NoSuchMethodError: ${name} takes ${wanted} arguments, ${given} given`,
    raised: (text) => `java.lang.IllegalArgumentException: ${text}`,
  },
};

const go: Language = {
  ...java,
  name: 'go',
  platform: 'go',
  path: (module) => `shop/${module}.go`,
  file: (imports, functions) => `${['package shop', ...imports, ...functions].join('\n\n')}\n`,
  import: (_module, name) => `// uses ${name}`,
  define: (name, parameters, body) =>
    braces(`func ${name}(${parameters.map((one) => `${one} *Value`).join(', ')}) *Value`, body, '\t'),
  assign: (name, value) => `${name} := ${value}`,
  reassign: (name, value) => `${name} = ${value}`,
  constant: (name, value) => `var ${name} = ${value}`,
  call: (expression) => expression,
  give: (expression) => `return ${expression}`,
  when: (condition, statement) => `if ${condition} {\n\t${statement}\n}`,
  raise: (text) => `panic("${text}")`,
  or: (value, fallback) => `valueOr(${value}, ${fallback})`,
  missing: 'nil',
  isMissing: (value) => `${value} == nil`,
  errors: {
    missing: (member) =>
      `panic: runtime error: invalid memory address or nil pointer dereference (${member})`,
    undefined: (name) => `panic: plugin: symbol ${name} not found`,
    arguments: (name, given, wanted) =>
      `panic: reflect: call of ${name} with ${given} arguments, want ${wanted}`,
    raised: (text) => `panic: ${text}`,
  },
};

const dollars = (text: string) => text.replace(/%(\w)/g, '$$$1').replace(/(\$\w+)\./g, '$1->');

const php: Language = {
  ...javascript,
  name: 'php',
  platform: 'php',
  path: (module) => `src/${module}.php`,
  file: (imports, functions) => `${['<?php', ...imports, ...functions].join('\n\n')}\n`,
  import: (module) => `require_once 'src/${module}.php';`,
  define: (name, parameters, body) =>
    `function ${name}(${parameters.map((one) => `$${one}`).join(', ')})\n${braces('', body, '    ').trim()}`,
  assign: (name, value) => `$${name} = ${value};`,
  reassign: (name, value) => `$${name} = ${value};`,
  constant: (name, value) => `const ${name} = ${value};`,
  when: (condition, statement) => `if (${condition}) {\n    ${statement}\n}`,
  raise: (text) => `throw new InvalidArgumentException('${text}');`,
  expression: dollars,
  or: (value, fallback) => `${value} ?? ${fallback}`,
  missing: 'null',
  isMissing: (value) => `is_null(${value})`,
  member: (of, name) => `${of}.${name}`,
  errors: {
    missing: (member) => `ErrorException: Attempt to read property "${member}" on null`,
    undefined: (name) => `Error: Call to undefined function ${name}()`,
    arguments: (name, given, wanted) =>
      `ArgumentCountError: Too many arguments to function ${name}(), ${given} passed and exactly ${wanted} expected`,
    raised: (text) => `InvalidArgumentException: ${text}`,
  },
};

const csharp: Language = {
  ...java,
  name: 'csharp',
  platform: 'csharp',
  path: (module) => `Shop/${module}.cs`,
  import: (module) => `using static Shop.${module};`,
  define: (name, parameters, body) =>
    `public static Value ${name}(${parameters.map((one) => `Value ${one}`).join(', ')})\n${braces('', body, '    ').trim()}`,
  assign: (name, value) => `var ${name} = ${value};`,
  constant: (name, value) => `public static readonly Value ${name} = ${value};`,
  raise: (text) => `throw new ArgumentException("${text}");`,
  or: (value, fallback) => `${value} ?? ${fallback}`,
  errors: {
    missing: (member) => `System.NullReferenceException: Object reference not set to an instance (${member})`,
    undefined: (name) => `System.MissingMethodException: Method not found: ${name}`,
    arguments: (name, given, wanted) =>
      `System.Reflection.TargetParameterCountException: ${name} takes ${wanted} arguments, ${given} given`,
    raised: (text) => `System.ArgumentException: ${text}`,
  },
};

export const LANGUAGES: readonly Language[] = [python, ruby, javascript, typescript, java, go, php, csharp];
