/** The style of a report on screen and on paper. Self-contained; no meaning is carried by colour alone. */
export const STYLE = `
:root{color-scheme:light;--ink:#1a202c;--soft:#4a5568;--line:#d9dee7;--paper:#fff;--ground:#f4f5f8;
--technique:#fde3c8;--technique-ink:#8a3b06;--claim:#1f5fa8;--indicator:#7a3ea8;--context:#55606e;
--good:#0b6e4f;--bad:#8b1116;--mixed:#7a5200}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif}
main{max-width:54rem;margin:0 auto;padding:2.5rem 3rem;background:var(--paper)}
h1,h2,h3,h4,p,ul,ol,dl,table{margin:0}
h1{font-size:1.9rem;line-height:1.25;letter-spacing:-.01em;margin:.25rem 0 1.25rem;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:1.3rem;line-height:1.3;margin-bottom:.9rem;padding-bottom:.4rem;border-bottom:2px solid var(--ink)}
h3{font-size:1.02rem;margin:1.4rem 0 .45rem}
h4{font-size:.9rem;margin:.9rem 0 .3rem;color:var(--soft)}
p+p{margin-top:.6rem}
a{color:#12508f;text-underline-offset:2px;overflow-wrap:anywhere}
a:focus-visible,label:focus-within,.switch:focus-visible~.languages label{outline:3px solid #12508f;outline-offset:2px}
code{font:.86em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
ul,ol{padding-left:1.2rem}
.kicker{color:var(--soft);font-size:.95rem}
.brand{color:var(--ink);font-weight:700;letter-spacing:.01em;margin-right:.4rem}
.head{margin-bottom:2rem}
.head .address{margin:-.6rem 0 1.1rem;font-size:.92rem}
.section{margin-top:2.6rem}
.aside,.card-facts{color:var(--soft);font-size:.9rem}
.note{background:#fff7e0;border-left:4px solid var(--mixed);padding:.6rem .9rem;margin:.8rem 0}
.lead{font-size:1.08rem;line-height:1.65}
.lead+.aside{margin-top:.6rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.7rem 1.6rem}
.facts dt{color:var(--soft);font-size:.82rem}
.facts dd{margin:0;overflow-wrap:anywhere}
.section .facts{margin:.9rem 0}
.contents{margin-top:1.5rem;padding:.8rem 1.1rem;background:var(--ground);border-radius:6px;font-size:.92rem}
.contents ol{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.3rem}
.verdict{display:grid;grid-template-columns:minmax(13rem,1fr) 2fr;border:1px solid var(--line);border-radius:8px;overflow:hidden}
.verdict-main{background:var(--risk);color:#fff;padding:1.4rem 1.5rem}
.verdict-side{padding:1.3rem 1.6rem}
.advice{margin-top:.8rem}
.category{font-size:1.15rem;font-weight:650;line-height:1.3}
.figure{margin-top:.9rem;line-height:1}
.figure-number{font-size:3.4rem;font-weight:700;font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.figure-label{margin-top:.35rem;font-size:.95rem}
.certainty{margin-top:1.5rem;padding-top:.9rem;border-top:1px solid rgba(255,255,255,.45)}
.certainty span{display:block;font-size:.95rem}
.certainty strong{font-size:1.35rem}
.scale{display:block;width:100%;height:auto;margin-bottom:.7rem}
.scale .marker{fill:var(--ink)}
.scale .band{stroke:#fff;stroke-width:1}
.scale .tick{font-size:10px;fill:var(--soft);text-anchor:middle}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding-bottom:.8rem}
th,td{text-align:left;padding:.45rem .6rem .45rem 0;border-bottom:1px solid var(--line);font-weight:400;vertical-align:baseline}
thead th{color:var(--soft);font-size:.85rem}
th.amount,td.amount{text-align:right;padding-right:0;padding-left:1rem;white-space:nowrap}
tbody th[scope=row]{font-weight:600}
.confidence th[scope=row],.engines th[scope=row]{font-weight:400}
.bar-cell{width:32%}
.bar{display:block;width:100%;height:.55rem}
.bar-track{fill:#e6e9ef}.bar-fill{fill:#49566b}
.unused td,.unused th{color:var(--soft)}
tfoot th{font-weight:600}
tfoot .result th,tfoot .result td{font-weight:700;font-size:1.1rem;border-bottom:3px double var(--ink)}
.plain{list-style:none;padding:0}
.plain li{padding:.4rem 0;border-bottom:1px solid var(--line)}
.tag{display:inline-block;border:1px solid currentColor;border-radius:99px;padding:.02rem .6rem;font-size:.82rem;color:var(--soft);white-space:nowrap}
.tag-good{color:var(--good)}.tag-bad{color:var(--bad)}.tag-mixed{color:var(--mixed)}
h3 .tag{font-size:.92rem;font-weight:600}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.4rem 1.6rem;margin:.8rem 0;font-size:.92rem}
.analysed-text{font:1.08rem/1.85 Georgia,"Times New Roman","Noto Serif",serif;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:8px;padding:1.4rem 1.6rem;margin-top:.8rem}
mark{background:none;color:inherit;-webkit-box-decoration-break:clone;box-decoration-break:clone;padding:.08em 0}
.mark-technique{background:var(--technique)}
.mark-claim{border-bottom:2px solid var(--claim)}
.mark-indicator{text-decoration:underline wavy var(--indicator) 1.5px;text-underline-offset:3px}
.mark-context{text-decoration:underline dotted var(--context) 2px;text-underline-offset:3px}
.reference{font:600 .68rem/1 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;vertical-align:super;text-decoration:none;margin:0 .12em;padding:.08em .28em;border-radius:3px;white-space:nowrap;-webkit-user-select:none;user-select:none}
.reference-technique,.number-technique{background:var(--technique);color:var(--technique-ink)}
.reference-claim,.number-claim{background:#dce9f8;color:#123f73}
.reference-indicator,.number-indicator{background:#ece0f6;color:#55237f}
.reference-context,.number-context{background:#e6e9ef;color:#3a4350}
.plain .reference,p>.reference{vertical-align:baseline;font-size:.82rem;padding:.15em .5em}
.number{display:inline-block;font-size:.85rem;font-weight:700;padding:.1em .5em;border-radius:4px;margin-right:.35rem}
.cards{list-style:none;padding:0;display:grid;gap:.9rem}
.card{border:1px solid var(--line);border-radius:8px;padding:1rem 1.2rem;scroll-margin-top:1rem}
.card:target{border-color:var(--ink);box-shadow:0 0 0 2px var(--ink)}
.card h3{margin:0 0 .3rem}
.card>p,.card>.quotes{margin-top:.5rem}
.cards-small{gap:.5rem}
.cards-small .card{padding:.55rem 1rem}
.cards-small h3{font-weight:600;margin:0}
.points{font-weight:400;font-size:.9rem;color:var(--soft);margin-left:.5rem;white-space:nowrap}
.quote{quotes:none;font-family:Georgia,"Times New Roman","Noto Serif",serif}
.quotes{list-style:none;padding:0}
.quotes li{padding:.12rem 0 .12rem .8rem;border-left:3px solid var(--line);margin-top:.25rem}
.evidence{list-style:none;padding:0}
.evidence li{padding:.5rem 0;border-top:1px solid var(--line)}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}
.figures figure{margin:0}
.figures img{width:100%;height:auto;border:1px solid var(--line)}
.track{margin:1rem 0}
.track img{display:block;width:100%;height:11rem;border:1px solid var(--line)}
.figures figcaption,.track figcaption{font-size:.85rem;color:var(--soft)}
.switch,.skip{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip:focus{position:static;display:block;width:auto;height:auto;margin:0;clip-path:none;padding:.6rem 1rem;background:var(--paper)}
.languages{max-width:54rem;margin:0 auto;padding:.9rem 3rem 0;display:flex;gap:.5rem;justify-content:flex-end;background:var(--paper)}
.languages label{cursor:pointer;padding:.3rem .9rem;border:1px solid var(--line);border-radius:99px;font-size:.9rem}
@media (max-width:44rem){main{padding:1.4rem 1.1rem}.languages{padding:.9rem 1.1rem 0}.verdict{grid-template-columns:1fr}.bar-cell{width:0;padding:0}.bar{display:none}th.amount,td.amount{padding-left:.5rem}table{font-size:.92rem}.facts{grid-template-columns:repeat(auto-fit,minmax(8rem,1fr))}h1{font-size:1.5rem}}
@page{size:A4;margin:16mm 15mm 18mm}
@media print{
body{background:none;font-size:10pt;line-height:1.45}
main{max-width:none;padding:0}
.languages,.contents,.skip{display:none}
.cards{display:block}
.frames{grid-template-columns:repeat(4,1fr);gap:3mm}
.figures figure,.track{break-inside:avoid}
.card{margin-bottom:3mm;padding:3mm 4mm}
.verdict,.card,tr,.legend,.note,.facts div{break-inside:avoid}
.section-claims .card{break-inside:auto}
.section-claims .card h3,.section-claims .card .quote,.evidence li{break-inside:avoid}
.lead{break-after:avoid;font-size:11pt;line-height:1.55}
.analysed-text{font-size:11pt;line-height:1.75;padding:4mm 5mm}
h1{font-size:19pt}
h2{font-size:13.5pt}
h2,h3,h4{break-after:avoid}
.section{margin-top:8mm}
.verdict-main,.mark-technique,.number,.reference,.bar-fill,.bar-track,.scale rect,.note{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.verdict{grid-template-columns:1fr 2fr}
.card:target{border-color:var(--line);box-shadow:none}
.evidence a[href]::after{content:" <" attr(href) ">";font-size:.85em;color:var(--soft)}
a{color:inherit}
}
`;
