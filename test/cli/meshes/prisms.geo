// A block of 40 x 20 x 10 mm of hexahedra with 20 nodes beside wedges with 15.
Mesh.ElementOrder = 2; Mesh.SecondOrderIncomplete = 1;
Point(1) = {0,0,0}; Point(2) = {20,0,0}; Point(3) = {20,20,0}; Point(4) = {0,20,0}; Point(5) = {40,0,0}; Point(6) = {40,20,0};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1}; Line(5) = {2,5}; Line(6) = {5,6}; Line(7) = {6,3};
Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1}; Curve Loop(2) = {5,6,7,-2}; Plane Surface(2) = {2};
Transfinite Curve {1:7} = 3; Transfinite Surface {1}; Transfinite Surface {2}; Recombine Surface {1};
a() = Extrude {0,0,10} { Surface{1}; Layers{2}; Recombine; };
b() = Extrude {0,0,10} { Surface{2}; Layers{2}; Recombine; };
Physical Volume("body") = {a(1), b(1)};
Physical Surface("foot") = {a(5)};
