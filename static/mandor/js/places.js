/* On a phone the places are one long line: show the current one. */
document.querySelector(".places [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
