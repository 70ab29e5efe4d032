# Write a data set of an installed R package as CSV: Rscript read.R PACKAGE NAME FILE.
# Ordered factors are written as numbers from 0, numbers with all their digits.
arguments <- commandArgs(TRUE)
items <- data(package = arguments[1])$results[, "Item"]
# An item such as "mgus2 (cancer)" is a table of a file with another name.
item <- items[sub(" .*", "", items) == arguments[2]]
data(list = sub(".*[(](.*)[)]", "\\1", item), package = arguments[1])
table <- as.data.frame(get(arguments[2]))
for (name in names(table)) {
  column <- table[[name]]
  if (is.ordered(column)) column <- as.integer(column) - 1
  if (is.double(column)) column <- ifelse(is.na(column), NA, sprintf("%.17g", column))
  table[[name]] <- as.vector(column)
}
write.csv(table, arguments[3], row.names = FALSE)
