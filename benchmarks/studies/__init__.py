"""How good, and by which options: one program a question, each prints Markdown tables."""
