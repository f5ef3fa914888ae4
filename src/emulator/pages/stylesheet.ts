import { html } from 'hono/html'

/**
 * The stylesheet of all pages. In both color schemes, texts have a contrast of at least 4.5 and borders of controls
 * of at least 3. No meaning depends on color alone.
 */
export const stylesheet = html`
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f4f5f7; --text: #1a1c1f; --quiet: #53575e; --line: #d5d8dd; --edge: #6f747c;
  --accent: #0b4fb8; --on-accent: #ffffff;
  --good: #11632f; --bad: #a3161b; --doubt: #7a4b00;
  --note: #fff3d1; --on-note: #3d2500; --note-edge: #8a4b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15171a; --raised: #1f2226; --text: #e9eaec; --quiet: #b3b8c0; --line: #3a3f46; --edge: #8b9199;
    --accent: #9cc2ff; --on-accent: #0c1a2e;
    --good: #7fd69a; --bad: #ff9d98; --doubt: #f3c26b;
    --note: #352700; --on-note: #ffe9b3; --note-edge: #d99a2b;
  }
}
*, ::before, ::after { box-sizing: border-box }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; color: var(--text); background: var(--ground) }
header, main { margin: 0 auto; max-width: 38rem; padding: 1rem }
.wide header, .wide main { max-width: 80rem }
header { padding-bottom: 0 }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; margin: .5rem 0 1rem } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem } h3 { font-size: 1.05rem }
p, li, dd, td, label, legend, summary { overflow-wrap: anywhere }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
main:focus { outline: none }
.skip { position: absolute; left: 1rem; top: -10rem; padding: .5rem 1rem; background: var(--ground) }
.skip:focus { top: .5rem; z-index: 1 }
[role=note] { margin: 0; border: 2px solid var(--note-edge); border-radius: .375rem; padding: .5rem 1rem;
  color: var(--on-note); background: var(--note) }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .75rem 0 0 }
nav a { display: inline-block; min-height: 1.75rem; min-width: 1.75rem }
[aria-current] { font-weight: 700; text-decoration-thickness: 3px }
[role=alert] { margin: 0 0 1rem; border-left: .5rem solid var(--bad); padding: .25rem .75rem; font-weight: 600 }
.quiet { color: var(--quiet) }
.out-of-sight:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }

form { margin: 0 } form + form { margin-top: 1rem }
fieldset { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .375rem; padding: .5rem 1rem 1rem; min-width: 0 }
legend { padding: 0 .25rem; font-weight: 600 }
label { display: block; padding: .25rem 0 }
input[type=radio], input[type=checkbox] { width: 1.5rem; height: 1.5rem; margin: 0 .5rem 0 0; vertical-align: middle; accent-color: var(--accent) }
input:not([type=radio], [type=checkbox]), select, textarea, button { font: inherit; color: inherit; max-width: 100%; min-height: 2.25rem;
  border: 1px solid var(--edge); border-radius: .375rem; padding: .25rem .75rem; background: var(--ground) }
button { cursor: pointer; background: var(--raised) }
button.main { color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
button:hover { text-decoration: underline }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: .5rem 0 }

dl { margin: 0 0 1rem } dt { font-weight: 600 } dd { margin: 0 0 .5rem }
@media (min-width: 34rem) { dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .25rem 1rem } dd { margin: 0 } }
.scroll { position: relative; overflow-x: auto; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .375rem }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; padding: .5rem .75rem; font-weight: 600 }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem; border-top: 1px solid var(--line) } td { min-width: 8rem }
thead th { background: var(--raised); border-top: 0 }
pre, code { font: .9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
pre { white-space: pre-wrap; margin: 0 0 1rem; padding: .5rem .75rem; background: var(--raised); border-radius: .375rem }
figure { margin: 0 0 1rem } figcaption { color: var(--quiet) }
svg { display: block; max-width: 100%; height: auto }

.badge { display: inline-block; padding: 0 .5rem; border: 1px solid; border-radius: 1rem; font-size: .875rem; font-weight: 600; white-space: nowrap }
.badge.good { color: var(--good) } .badge.bad { color: var(--bad); border-style: double; border-width: 3px }
.badge.doubt { color: var(--doubt); border-style: dashed } .badge.idle { color: var(--quiet) }
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important } }
`
